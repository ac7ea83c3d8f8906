import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startElevenLabsEmulator } from '../../providers/elevenlabs/voice-emulator.ts';
import { TalkingRtpPeer } from '../../rtp-peer/talking-rtp-peer.ts';
import { rootMeanSquare } from '../../rtp-peer/tone.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

const PROGRAM = 'espeak-ng';
/** 4 s of the voice, in which it says «win pays one thousand two hundred fifty dollars today». */
const HEARD_SAMPLES = 32_000;

function isInstalled(): boolean {
  try {
    execFileSync(PROGRAM, ['--version']);
    return true;
  } catch {
    return false;
  }
}

describe('an agent with a voice other than Deepgram', () => {
  let providers: EmulatedProviders;
  let elevenLabs: Awaited<ReturnType<typeof startElevenLabsEmulator>>;
  let test: TestService;

  beforeAll(async () => {
    providers = await startEmulatedProviders();
    elevenLabs = await startElevenLabsEmulator();
    test = await startTestService({
      ...providers.environment,
      ELEVENLABS_API_KEY: elevenLabs.apiKey,
      ELEVENLABS_BASE_URL: elevenLabs.baseUrl,
      DEFAULT_VOICE_PROVIDER: 'espeak',
      DEFAULT_VOICE_NAME: 'default',
    });
  });
  afterAll(async () => {
    await test?.close();
    await providers?.close();
    await elevenLabs?.close();
  });

  it.skipIf(!isInstalled())('speaks with eSpeak without a key, and sends Deepgram no request', async () => {
    const agent = await test.api.createAgent(talker({ initial_message: 'Hello, that makes $5.' }));
    const { callId, said, hangUp } = await dialIn(test, agent.id);
    await said('Hello, that makes $5.');
    const { heard } = await hangUp();
    const ended = await test.api.callIn(callId, ['completed']);
    expect(ended.transcript?.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      'agent: Hello, that makes $5.',
    ]);
    const loud = heard.findIndex((sample) => Math.abs(sample) > 1_000);
    expect(rootMeanSquare(heard.subarray(loud, loud + 8_000))).toBeGreaterThan(500);
    expect(providers.deepgram.speaks).toEqual([]);
  });

  it('writes only the heard words, as written, to the transcript of a call that ends mid-sentence (ElevenLabs)', async () => {
    const agent = await test.api.createAgent(
      talker({
        voice: { provider: 'elevenlabs', name: 'someone' },
        initial_message:
          'Nguyen pays $1,250 today and nothing else for a very long time to come, and this sentence continues long after ' +
          'the end of the call, I am sure of it.',
        pronunciations: [{ from: 'Nguyen', to: 'win' }],
      }),
    );
    const rtp = await TalkingRtpPeer.open('127.0.0.1');
    const { callId, hangUp } = await dialIn(test, agent.id, { rtp });
    await eventually(() => expect(rtp.heard().filter((sample) => sample !== 0).length).toBeGreaterThan(HEARD_SAMPLES));
    await hangUp();
    const ended = await test.api.callIn(callId, ['completed']);
    const said = ended.transcript?.[0]?.content ?? '';
    expect(elevenLabs.sockets.at(-1)?.texts[0]).toMatch(/^win pays one thousand two hundred fifty dollars today/);
    expect(said).toMatch(/^Nguyen pays \$1,250 today/);
    expect(said).not.toMatch(/sure of it/);
    expect(test.log()).not.toContain(elevenLabs.apiKey);
  });
});
