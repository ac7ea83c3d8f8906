import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { joined, noise, silence } from '../../../fixtures/sound/synthesis.ts';
import type { ListenScript } from '../../providers/deepgram/listen.ts';
import { results, speechStarted } from '../../providers/deepgram/listen-messages.ts';
import { textAnswer } from '../../providers/openai/chat-script.ts';
import { EMULATED_VOICE_HZ } from '../../providers/speech/tone-speech.ts';
import { readSpeech } from '../../rtp-peer/speech-file.ts';
import { TalkingRtpPeer } from '../../rtp-peer/talking-rtp-peer.ts';
import { measureTone } from '../../rtp-peer/tone.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

const GREETING = 'Hello there.';
const LONG_GREETING = 'Hello, you are connected to the station road garage, and I am here to help.';
const ANSWER = 'Very well, somebody will come before noon.';
const QUESTION = 'Can you send somebody';
const WHOLE_QUESTION = 'Can you send somebody, please?';
const ADDRESS = ['Twelve Station Road.', 'Second floor.', 'On the left.'];
/** The user listens for this long after the greeting. */
const LEAD_MS = 500;
/** From the end of the user's speech to its final: the answer is being heard by then. */
const LATE_FINAL_MS = 2_000;
const COUGH_MS = 320;
const SILENCE_MS_MAX = 100;
const BLOCK_MS = 20;
/** The sounds that lowered the agent's voice, among the metrics of a call. */
const DUCKED = z.looseObject({ ducked: z.number() });

/** Speech of `fixtures/speech/` after the lead. */
async function afterLead(name: string): Promise<{ readonly audio: Int16Array; readonly endMs: number }> {
  const speech = await readSpeech(join(import.meta.dirname, `../../../fixtures/speech/${name}.wav`));
  return { audio: joined([silence(LEAD_MS), speech]), endMs: LEAD_MS + Math.round(speech.length / 8) };
}

/** Most words as an interim when they were spoken, and the final long after. */
function lateFinal(interim: string, whole: string, endMs: number): ListenScript {
  const times = { startMs: LEAD_MS, endMs };
  const final = results(whole, { ...times, isFinal: true, speechFinal: true });
  return {
    steps: [
      { audioMs: LEAD_MS + 100, action: { type: 'send', message: speechStarted(LEAD_MS) } },
      { audioMs: endMs, action: { type: 'send', message: results(interim, times) } },
      { audioMs: endMs + LATE_FINAL_MS, action: { type: 'send', message: final } },
    ],
    // A transcriber that is late answers `Finalize` by the same final.
    onFinalize: [],
  };
}

/** Each part as a separate final that marks the end of speech, as Deepgram does after 100 ms of silence. */
function finalsOfParts(parts: readonly string[], endMs: number): ListenScript {
  const partMs = (endMs - LEAD_MS) / parts.length;
  return {
    steps: parts.map((text, i) => {
      const times = { startMs: LEAD_MS + i * partMs, endMs: LEAD_MS + (i + 1) * partMs };
      const message = results(text, { ...times, isFinal: true, speechFinal: true });
      return { audioMs: times.endMs + 150, action: { type: 'send', message } };
    }),
  };
}

/** The longest silence between the first and the last sound of our voice, in ms. */
function longestSilence(heard: Int16Array): number {
  const block = BLOCK_MS * 8;
  let longest = 0;
  let lastMs: number | null = null;
  for (let at = 0; at + block <= heard.length; at += block) {
    if (measureTone(heard.subarray(at, at + block), EMULATED_VOICE_HZ).level < 200) continue;
    if (lastMs !== null) longest = Math.max(longest, at / 8 - lastMs);
    lastMs = at / 8 + BLOCK_MS;
  }
  return longest;
}

describe('a user turn over SIP and RTP', () => {
  let providers: EmulatedProviders;
  let test: TestService;
  let listen: ListenScript;

  beforeAll(async () => {
    listen = { steps: [] };
    providers = await startEmulatedProviders({ chat: () => textAnswer(ANSWER), listenTo: () => listen });
    test = await startTestService(providers.environment);
  });
  afterAll(async () => {
    await test?.close();
    await providers?.close();
  });

  /** The call's transcript, once this was heard to its end, its ducked sounds, and the audio heard without our stalls. */
  async function call(
    greeting: string,
    audio: Int16Array,
    lastHeard: string,
    speaks: () => Parameters<typeof dialIn>[2] & object,
  ) {
    const { id } = await test.api.createAgent(talker({ initial_message: greeting }));
    const staged = await dialIn(test, id, { audio, pace: 'peer', ...speaks() });
    await staged.said(lastHeard);
    const { heardWithoutHoles: heard } = await staged.hangUp();
    const { metrics, transcript } = await test.api.callIn(staged.callId, ['completed']);
    const { ducked } = DUCKED.parse(metrics);
    return { ducked, heard, entries: (transcript ?? []).map(({ role, content }) => `${role}: ${content}`) };
  }

  it('has one entry and one answer if its final arrives while the answer is heard', async () => {
    const { audio, endMs } = await afterLead('question-man-noise');
    listen = lateFinal(QUESTION, WHOLE_QUESTION, endMs);
    const { entries } = await call(GREETING, audio, ANSWER, () => ({ speaksAfter: GREETING }));
    expect(entries).toEqual([`agent: ${GREETING}`, `user: ${WHOLE_QUESTION}`, `agent: ${ANSWER}`]);
  });

  it('has one entry for an address in one breath, whatever silence the transcriber marks inside it', async () => {
    const { audio, endMs } = await afterLead('address-woman');
    listen = finalsOfParts(ADDRESS, endMs);
    const { entries } = await call(GREETING, audio, ANSWER, () => ({ speaksAfter: GREETING }));
    expect(entries).toEqual([`agent: ${GREETING}`, `user: ${ADDRESS.join(' ')}`, `agent: ${ANSWER}`]);
  });

  it('is not begun by a cough: the agent speaks on without a silence', async () => {
    listen = { steps: [] };
    const cough = noise(COUGH_MS, -14, 3);
    const rtp = await TalkingRtpPeer.open('127.0.0.1');
    const isGreeted = () => expect(rtp.heard().filter((sample) => sample !== 0).length).toBeGreaterThan(8_000);
    const speaks = () => ({ rtp, speaksAt: eventually(isGreeted) });
    const { ducked, entries, heard } = await call(LONG_GREETING, cough, LONG_GREETING, speaks);
    expect(ducked).toBeGreaterThanOrEqual(1);
    expect(entries).toEqual([`agent: ${LONG_GREETING}`]);
    expect(longestSilence(heard)).toBeLessThanOrEqual(SILENCE_MS_MAX);
  });
});
