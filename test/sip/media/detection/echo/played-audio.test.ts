import { describe, expect, it } from 'vitest';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from '../../../../../base/audio/g711.ts';
import { atLevel, syntheticSpeech } from '../../../../../fixtures/sound/recorded-speech.ts';
import { BANDS } from '../../../../../sip/media/detection/echo/band-powers.ts';
import { PlayedAudio } from '../../../../../sip/media/detection/echo/played-audio.ts';

const FRAME_SAMPLES = 160;
const FRAME_MS = 20;
const FRAMES = 50;
const AGENT = atLevel(syntheticSpeech('address-woman'), -20).subarray(0, FRAMES * FRAME_SAMPLES);

/** The band powers of all frames, in dB. */
function powersOf(played: PlayedAudio): readonly number[] {
  expect(played.frames).toBe(FRAMES);
  return Array.from({ length: FRAMES * BANDS }, (_, at) => {
    const power = played.echoPower(Math.floor(at / BANDS), at % BANDS);
    return 10 * Math.log10(power + 1);
  });
}

/** The audio that was sent as G.711, in packets of this many samples. */
function sent(alaw: boolean, packet: number): PlayedAudio {
  const played = new PlayedAudio();
  const payload = new Uint8Array(AGENT.length);
  const samples = new Int16Array(AGENT.length);
  if (alaw) encodeAlaw(AGENT, 0, AGENT.length, payload);
  else encodeMulaw(AGENT, 0, AGENT.length, payload);
  if (alaw) decodeAlaw(payload, 0, payload.length, samples);
  else decodeMulaw(payload, 0, payload.length, samples);
  for (let at = 0; at < samples.length; at += packet) {
    const piece = samples.subarray(at, at + packet);
    played.agent(piece, piece.length);
  }
  return played;
}

describe('the powers of what is played', () => {
  it.each([
    ['mu-law', false, 160],
    ['mu-law', false, 240],
    ['A-law', true, 160],
    ['A-law', true, 480],
  ])('are those of its audio in %s, A-law %s, in packets of %s samples', (_, alaw, packet) => {
    const plain = new PlayedAudio();
    for (let at = 0; at < AGENT.length; at += FRAME_SAMPLES) {
      const doubled = Int16Array.from({ length: 2 * FRAME_SAMPLES }, (__, i) => AGENT[at + (i >> 1)] ?? 0);
      plain.agentWide(doubled, doubled.length);
    }
    const expected = powersOf(plain);
    for (const [at, power] of powersOf(sent(alaw, packet)).entries()) {
      const own = expected[at] ?? 0;
      // Quiet bands hold the noise of the codec.
      if (own > 45) expect(Math.abs(power - own)).toBeLessThan(1.5);
    }
  });

  it.each([0, 100])('are those of zeros in a silence, %i samples after the start of a frame', (filled) => {
    const zeros = new PlayedAudio();
    const silent = new PlayedAudio();
    for (const played of [zeros, silent]) played.agent(AGENT, 5 * FRAME_SAMPLES + filled);
    for (let i = 0; i < 3; i++) zeros.agent(new Int16Array(FRAME_SAMPLES), FRAME_SAMPLES);
    silent.agentSilent(3 * FRAME_MS);
    for (const played of [zeros, silent]) played.agent(AGENT, FRAME_SAMPLES);
    const statesOf = (played: PlayedAudio) =>
      Array.from({ length: played.frames }, (_, frame) => [
        ...Array.from({ length: BANDS }, (__, band) => played.echoPower(frame, band)),
        played.isLoud(frame),
        played.norm(frame),
        played.silentFrames(frame),
      ]);
    expect(statesOf(silent)).toEqual(statesOf(zeros));
  });

  it.each([
    [10, 2, 1],
    [20, 1, 1],
    [30, 2, 3],
    [60, 1, 3],
  ])('last as long as silent packets of %i ms, %i of them', (packetMs, packets, frames) => {
    const played = new PlayedAudio();
    for (let i = 0; i < packets; i++) played.agentSilent(packetMs);
    expect(played.frames).toBe(frames);
  });
});
