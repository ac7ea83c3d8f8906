import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { joined, silence, tone } from '../../../fixtures/sound/synthesis.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../demo/webhook-receiver.ts';
import type { ListenScript } from '../../providers/deepgram/listen.ts';
import { results } from '../../providers/deepgram/listen-messages.ts';
import { EMULATED_MS_PER_CHARACTER } from '../../providers/speech/speak-answer.ts';
import { EMULATED_VOICE_HZ } from '../../providers/speech/tone-speech.ts';
import { readSpeech } from '../../rtp-peer/speech-file.ts';
import { TalkingRtpPeer } from '../../rtp-peer/talking-rtp-peer.ts';
import { measureTone } from '../../rtp-peer/tone.ts';
import { SipCallee } from '../../sip-endpoint/sip-callee.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { FROM, TO, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

const GREETING = "You've reached Bob Smith. Please leave a message after the tone.";
const LEAD_MS = 600;
const PAUSE_MS = 900;
const BEEP_MS = 500;
/** Latest start of the message after the beep: 0.2 s to detect its end, then the voice's first audio and packets. */
const MESSAGE_DELAY_MS_MAX = 2_500;
const BLOCK_MS = 20;
const SAMPLES_PER_MS = 8;
/** A block with this level and share of the voice's tone is part of the message. */
const VOICE_LEVEL_MIN = 500;
const VOICE_SHARE_MIN = 0.7;
/** The recording may lack this much of the message: blocks at its edges that are partly silent. */
const LOST_EDGES_MS_MAX = 200;

/** Start and end of our voice's tone in the callee's recording, in ms; null without the tone. */
function voiceIn(samples: Int16Array): { readonly fromMs: number; readonly toMs: number } | null {
  const block = BLOCK_MS * SAMPLES_PER_MS;
  const voiced: number[] = [];
  for (let at = 0; at + block <= samples.length; at += block) {
    const { level, share } = measureTone(samples.subarray(at, at + block), EMULATED_VOICE_HZ);
    if (level > VOICE_LEVEL_MIN && share > VOICE_SHARE_MIN) voiced.push(at / SAMPLES_PER_MS);
  }
  const [first] = voiced;
  return first === undefined ? null : { fromMs: first, toMs: (voiced.at(-1) ?? first) + BLOCK_MS };
}

/** The greeting in Deepgram's messages: an interim each second. */
function interims(): ListenScript['steps'] {
  return ["You've reached", "You've reached Bob Smith. Please"].map((text, index) => {
    const endMs = LEAD_MS + (index + 1) * 1_000;
    return { audioMs: endMs, action: { type: 'send', message: results(text, { startMs: LEAD_MS, endMs }) } };
  });
}

describe('a voicemail that answers an outbound call', () => {
  let providers: EmulatedProviders;
  let test: TestService;
  let hooks: WebhookReceiver;
  let uas: SipCallee;
  let rtp: TalkingRtpPeer;
  let greeting: Int16Array;
  let greetingMs: number;

  beforeAll(async () => {
    greeting = await readSpeech(join(import.meta.dirname, '../../../fixtures/answering-machine/voicemail-reached.wav'));
    greetingMs = greeting.length / SAMPLES_PER_MS;
    providers = await startEmulatedProviders({
      listen: { steps: [...interims(), ...heardLine(GREETING, LEAD_MS, LEAD_MS + Math.round(greetingMs))] },
    });
    hooks = await startWebhookReceiver(() => null);
    test = await startTestService(providers.environment);
    uas = await SipCallee.open();
    rtp = await TalkingRtpPeer.open('127.0.0.1');
    const trunk = await test.api.requestOk(z.looseObject({ id: z.string() }), 'POST', '/v1/sip-trunks', {
      name: 'Carrier',
      termination_uri: `127.0.0.1:${uas.hop.port}`,
      transport: 'udp',
    });
    await test.api.requestOk(z.unknown(), 'POST', '/v1/phone-numbers', {
      number: FROM,
      name: 'Ours',
      trunk_id: trunk.id,
    });
  });
  afterAll(async () => {
    rtp?.close();
    uas?.close();
    await test?.close();
    await hooks?.close();
    await providers?.close();
  });

  it('gets the complete message after its beep, and then a BYE', async () => {
    const message = 'This is Anna. Please call us back tomorrow.';
    const agent = await test.api.createAgent(
      talker({
        initial_message: 'Hello, this is Anna.',
        webhook_url: hooks.url,
        webhook_subscriptions: ['event_answer_type_detected'],
        states: [
          {
            name: 'talk',
            prompt: 'Talk.',
            tools: [{ type: 'leave_voicemail_message', name: 'leave_message', filler_sentence: message }],
          },
        ],
      }),
    );
    const line = joined([silence(LEAD_MS), greeting, silence(PAUSE_MS), tone([1_000], BEEP_MS)]);
    uas.onRequest = (request) => {
      if (request.method === 'INVITE') {
        rtp.take(Buffer.from(request.body).toString());
        uas.respond(request, 200, 'OK', rtp.offer(['pcmu']));
      } else if (request.method === 'ACK') rtp.start(line, () => {});
      else uas.respond(request, 200, 'OK');
    };
    const callRequest = { from_number: FROM, to_number: TO, agent_id: agent.id };
    const { call_id: callId } = await test.api.requestOk(
      z.object({ call_id: z.string() }),
      'POST',
      '/v1/calls/phone',
      callRequest,
    );
    const ended = await test.api.callIn(callId, ['completed', 'failed', 'no_answer'], 30_000);

    expect(ended).toMatchObject({ status: 'completed', end_reason: 'voicemail_left', answer_type: 'voicemail' });
    expect(ended.transcript?.map(({ role, content }) => [role, content])).toEqual([
      ['user', GREETING],
      ['agent', message],
    ]);
    expect(uas.methods().at(-1)).toBe('BYE');
    expect(await hooks.event('event_answer_type_detected')).toMatchObject({ data: { answer_type: 'voicemail' } });
    expect(providers.openai.requests).toEqual([]);

    const voice = voiceIn(rtp.heard());
    if (voice === null) throw new Error('the callee received no message');
    const beepEndMs = LEAD_MS + greetingMs + PAUSE_MS + BEEP_MS;
    // On the callee's clock, which starts with its first sent packet.
    const delayAfterBeepMs = (rtp.report().firstPacketMs ?? 0) + voice.fromMs - beepEndMs;
    expect(delayAfterBeepMs).toBeGreaterThan(0);
    expect(delayAfterBeepMs).toBeLessThan(MESSAGE_DELAY_MS_MAX);
    const spokenMs = message.length * EMULATED_MS_PER_CHARACTER;
    expect(voice.toMs - voice.fromMs).toBeGreaterThan(spokenMs - LOST_EDGES_MS_MAX);
  }, 40_000);
});
