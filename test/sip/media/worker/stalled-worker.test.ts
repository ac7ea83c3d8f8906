import { expect, it } from 'vitest';
import { encodeMulaw } from '../../../../base/audio/g711.ts';
import { atLevel, syntheticSpeech } from '../../../../fixtures/sound/recorded-speech.ts';
import { SILENT_SOURCE_MS } from '../../../../sip/media/detection/audio-event-detector.ts';
import { PACKET_INTERVAL_MS } from '../../../../sip/media/send/pacer.ts';
import { audioPacket, PARAMETERS, PORT, simulatedSession } from './simulated-session.ts';

/** Position in the spoken greeting from which it has voice for 0.6 s. */
const VOICED_MS = 280;
const HALF = 15;
const STALLED_TICKS = 2 * (SILENT_SOURCE_MS / PACKET_INTERVAL_MS);

/** A call in which the user has spoken for half of 0.6 s. `speakOn` sends the other half. */
async function speakingCall() {
  const { session, receive, tick, ...call } = await simulatedSession();
  const speech = atLevel(syntheticSpeech('greeting-woman'), -18);
  const codes = new Uint8Array(2 * HALF * 160);
  encodeMulaw(speech.subarray(VOICED_MS * 8), 0, codes.length, codes);
  const send = (from: number) => {
    for (let i = from; i < from + HALF; i++) {
      receive(PORT, audioPacket(i, codes.subarray(i * 160, (i + 1) * 160)));
      tick(1);
    }
  };
  session.configure(PARAMETERS);
  send(0);
  const types = () => call.events.map(({ type }) => type).filter((type) => type.startsWith('speech_st'));
  expect(types()).toEqual(['speech_started']);
  return { ...call, tick, types, speakOn: () => send(HALF) };
}

it('a stall of the worker does not end the speech whose packets wait in the socket', async () => {
  const { stall, tick, types, speakOn } = await speakingCall();
  stall(STALLED_TICKS);
  tick(1);
  speakOn();
  expect(types()).toEqual(['speech_started']);
});

it('a peer that sends nothing after a stall of the worker has stopped speaking', async () => {
  const { stall, tick, types } = await speakingCall();
  stall(STALLED_TICKS);
  tick(STALLED_TICKS);
  expect(types()).toEqual(['speech_started', 'speech_stopped']);
});
