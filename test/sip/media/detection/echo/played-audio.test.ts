import { describe, expect, it } from 'vitest';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from '../../../../../base/audio/g711.ts';
import { atLevel, syntheticSpeech } from '../../../../../fixtures/sound/recorded-speech.ts';
import { BANDS } from '../../../../../sip/media/detection/echo/band-powers.ts';
import { PlayedAudio, REMEMBERED_FRAMES } from '../../../../../sip/media/detection/echo/played-audio.ts';

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

/** A frame with a square wave of these amplitudes in each octave, highest octave first. */
const frameOf = (...amplitudes: readonly number[]) =>
  Int16Array.from({ length: FRAME_SAMPLES }, (_, at) =>
    amplitudes.reduce(
      (sum, amplitude, band) => sum + (Math.floor(at / 2 ** band) % 2 === 0 ? amplitude : -amplitude),
      0,
    ),
  );
/** A frame of −45 dBFS is loud. */
const LOUD_AMPLITUDE = 32_768 * 10 ** (-45 / 20);
/** The echo of a frame in a room is 6 dB weaker in the next one. */
const ROOM_DECAY = 0.25;
/** Levels are differences from their mean, 12 dB at most; silence has the least. */
const LEVEL_RANGE = 4;
/** The mean is that of the loud frames so far, later that of about a second. */
const MEAN_FRAMES = 50;
const UNHEARD_FRAMES = 10;

const playedOf = (...frames: readonly Int16Array[]) => {
  const played = new PlayedAudio();
  for (const frame of frames) played.agent(frame, frame.length);
  return played;
};
const echoOf = (played: PlayedAudio, frame: number) =>
  Array.from({ length: BANDS }, (_, band) => played.echoPower(frame, band));
/** The levels of a frame, each by a product with one. */
const levelsOf = (played: PlayedAudio, frame: number) =>
  Array.from({ length: BANDS }, (_, band) => {
    const unit = new Float64Array(BANDS);
    unit[band] = 1;
    return played.correlate(frame, unit);
  });
const allLevels = (level: number) => Array.from({ length: BANDS }, () => level);
const expectLevels = (played: PlayedAudio, frame: number, levels: readonly number[]) => {
  const actual = levelsOf(played, frame);
  for (const [band, level] of levels.entries()) expect(actual[band]).toBeCloseTo(level, 4);
  expect(played.norm(frame)).toBeCloseTo(
    levels.reduce((sum, level) => sum + level ** 2, 0),
    3,
  );
};

describe('the echo of a played frame', () => {
  it('has the power of the frame in each band', () => {
    const played = playedOf(frameOf(4_000, 300, 2_000, 1_000), frameOf(100, 5_000, 100, 3_000));
    expect(echoOf(played, 0)).toEqual([4_000 ** 2, 300 ** 2, 2_000 ** 2, 1_000 ** 2]);
    expect(echoOf(played, 1)[1]).toBe(5_000 ** 2);
    expect(echoOf(played, 1)[3]).toBe(3_000 ** 2);
  });

  it('fades in a room by 6 dB a frame', () => {
    const played = playedOf(frameOf(8_000, 4_000, 2_000, 1_000));
    played.agentSilent(2 * FRAME_MS);
    expect(echoOf(played, 2)).toEqual(echoOf(played, 0).map((power) => power * ROOM_DECAY ** 2));
    played.agent(frameOf(8_000, 0, 400, 0), FRAME_SAMPLES);
    expect(echoOf(played, 3)).toEqual([8_000 ** 2, 4_000 ** 2 / 64, 400 ** 2, 1_000 ** 2 / 64]);
  });

  it('is remembered for 2.56 s', () => {
    const played = playedOf(frameOf(8_000, 4_000, 2_000, 1_000));
    const first = echoOf(played, 0);
    played.agentSilent((REMEMBERED_FRAMES - 1) * FRAME_MS);
    expect(echoOf(played, 0)).toEqual(first);
    expect(played.isLoud(0)).toBe(true);
    played.agentSilent(FRAME_MS);
    expect(echoOf(played, 0)).not.toEqual(first);
    expect(played.isLoud(0)).toBe(false);
  });

  it('is nothing before the frame is played, though a frame before it is remembered in its place', () => {
    const played = playedOf(...Array.from({ length: REMEMBERED_FRAMES }, () => frameOf(8_000, 4_000, 2_000, 1_000)));
    expect(echoOf(played, REMEMBERED_FRAMES)).toEqual([0, 0, 0, 0]);
  });

  it('of audio at 16 kHz is that of the mean of two samples', () => {
    const wide = Int16Array.from({ length: 2 * FRAME_SAMPLES }, (_, at) => 1_000 + (at % 4 < 2 ? 3_000 : -3_000));
    const played = new PlayedAudio();
    played.agentWide(wide, wide.length);
    expect(played.frames).toBe(1);
    expect(echoOf(played, 0)).toEqual([3_000 ** 2, 0, 0, 0]);
    const between = Int16Array.from({ length: 2 * FRAME_SAMPLES }, (_, at) => [4_000, 2_000, 0, -2_000][at % 4] ?? 0);
    played.agentWide(between, between.length);
    expect(echoOf(played, 1)[0]).toBe(2_000 ** 2);
  });

  it('of the first samples of a longer array is that of these', () => {
    const longer = new Int16Array(3 * FRAME_SAMPLES).fill(9_000);
    longer.set(frameOf(3_000, 0, 0, 0));
    const narrow = new PlayedAudio();
    narrow.agent(longer, FRAME_SAMPLES / 2);
    narrow.agent(longer, FRAME_SAMPLES / 2);
    expect(narrow.frames).toBe(1);
    expect(echoOf(narrow, 0)).toEqual([3_000 ** 2, 0, 0, 0]);
    const wide = new PlayedAudio();
    wide.agentWide(longer, FRAME_SAMPLES);
    expect(wide.frames).toBe(0);
    wide.agentWide(longer, FRAME_SAMPLES);
    expect(wide.frames).toBe(1);
  });

  it('of a long silence is nothing, after what is remembered', () => {
    const played = playedOf(frameOf(8_000, 8_000, 8_000, 8_000));
    played.agentSilent(3_600_000);
    expect(played.frames).toBe(1 + REMEMBERED_FRAMES);
    expect(played.isHeard).toBe(false);
  });
});

describe('a loud frame', () => {
  const isLoud = (...amplitudes: readonly number[]) => playedOf(frameOf(...amplitudes)).isLoud(0);

  it('has −45 dBFS in all bands together', () => {
    expect([isLoud(LOUD_AMPLITUDE - 1, 0, 0, 0), isLoud(LOUD_AMPLITUDE + 1, 0, 0, 0)]).toEqual([false, true]);
    const half = LOUD_AMPLITUDE / 2;
    expect([isLoud(half - 1, half - 1, half - 1, half - 1), isLoud(half + 1, half + 1, half + 1, half + 1)]).toEqual([
      false,
      true,
    ]);
  });

  it('is counted back to', () => {
    const played = new PlayedAudio();
    expect(played.silentFrames(0)).toBeGreaterThanOrEqual(REMEMBERED_FRAMES);
    played.agentSilent(3 * FRAME_MS);
    played.agent(frameOf(8_000, 0, 0, 0), FRAME_SAMPLES);
    played.agentSilent(5 * FRAME_MS);
    expect([played.silentFrames(8), played.silentFrames(3), played.silentFrames(1)]).toEqual([5, 0, -2]);
  });

  it('is heard for 0.2 s', () => {
    const played = new PlayedAudio();
    expect(played.isHeard).toBe(false);
    played.agent(frameOf(8_000, 0, 0, 0), FRAME_SAMPLES);
    expect(played.isHeard).toBe(true);
    played.agentSilent((UNHEARD_FRAMES - 1) * FRAME_MS);
    expect(played.isHeard).toBe(true);
    played.agentSilent(FRAME_MS);
    expect(played.isHeard).toBe(false);
  });
});

describe('the levels of a frame', () => {
  const SOFT = frameOf(2_000, 2_000, 2_000, 2_000);
  /** One step of a level is 3 dB. */
  const louder = (steps: number) => frameOf(...allLevels(2_000 * 2 ** (steps / 2)));

  it('are those of silence before the first frame, and while nothing loud is played', () => {
    const played = playedOf(SOFT, frameOf(100, 0, 0, 0));
    expectLevels(played, -1, allLevels(-LEVEL_RANGE));
    expectLevels(played, 1, allLevels(-LEVEL_RANGE));
  });

  it('are those of silence again after what is remembered', () => {
    const played = playedOf(SOFT, louder(2), louder(2));
    played.agentSilent((REMEMBERED_FRAMES - 3) * FRAME_MS);
    expectLevels(played, 1, allLevels(1));
    played.agentSilent(2 * FRAME_MS);
    expectLevels(played, 1, allLevels(-LEVEL_RANGE));
    expectLevels(played, REMEMBERED_FRAMES + 1, allLevels(-LEVEL_RANGE));
    expect(levelsOf(played, 2)[0]).toBeGreaterThan(0);
  });

  it('are differences from the mean of the loud frames so far', () => {
    const played = playedOf(SOFT, louder(2), frameOf(100, 0, 0, 0), louder(4));
    expectLevels(played, 0, allLevels(0));
    expectLevels(played, 1, allLevels(1));
    expectLevels(played, 3, allLevels(2));
  });

  it('belong to each band', () => {
    const played = playedOf(SOFT, frameOf(4_000, 2_000, 1_000, 2_000));
    expectLevels(played, 1, [1, 0, -1, 0]);
  });

  it('are bounded to 12 dB', () => {
    const played = playedOf(frameOf(400, 400, 400, 6_400), frameOf(6_400, 6_400, 400, 10));
    expectLevels(played, 1, [LEVEL_RANGE, LEVEL_RANGE, 0, -LEVEL_RANGE]);
  });

  it('are differences from the mean of a second later', () => {
    const played = playedOf(...Array.from({ length: 2 * MEAN_FRAMES }, () => SOFT), louder(2));
    expectLevels(played, 2 * MEAN_FRAMES, allLevels(2 - 2 / MEAN_FRAMES));
  });

  it('are multiplied with others and added', () => {
    const played = playedOf(SOFT, frameOf(4_000, 2_000, 1_000, 2_000));
    expect(played.correlate(1, Float64Array.of(1, 5, -2, 7))).toBeCloseTo(3, 3);
  });
});
