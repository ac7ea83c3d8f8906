import { expect } from 'vitest';
import { encodeMulaw } from '../../../../base/audio/g711.ts';
import { atLevel, syntheticSpeech } from '../../../../fixtures/sound/recorded-speech.ts';
import { audioPacket, PARAMETERS, PORT, simulatedSession } from './simulated-session.ts';

/** Position in the spoken greeting from which it has voice for 0.6 s. */
const VOICED_MS = 280;
/** Packets of half of that speech. */
export const HALF = 15;

/** A call in which the user has spoken for half of 0.6 s. `speakOn` sends the other half. */
export async function speakingCall() {
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
  return { ...call, receive, tick, types, speakOn: () => send(HALF) };
}
