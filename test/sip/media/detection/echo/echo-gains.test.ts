import { describe, expect, it } from 'vitest';
import { atLevel, syntheticSpeech } from '../../../../../fixtures/sound/recorded-speech.ts';
import { BANDS, BandPowers, FRAME_SAMPLES } from '../../../../../sip/media/detection/echo/band-powers.ts';
import { EchoGains } from '../../../../../sip/media/detection/echo/echo-gains.ts';
import { PlayedAudio, REMEMBERED_FRAMES } from '../../../../../sip/media/detection/echo/played-audio.ts';

const AGENT = atLevel(syntheticSpeech('address-woman'), -20);
const FRAMES = 150;
const LAG = 20;
const GAIN = 0.05;
/** The played audio may be ahead of the received by this many frames. */
const CLOCK_FRAMES = 16;

/** Whether the gains are learnt from frames that arrive this much later than they should. */
function learns(lateFrames: number): boolean {
  const played = new PlayedAudio();
  const gains = new EchoGains();
  const bands = new BandPowers();
  const powers = new Float64Array(BANDS);
  const frameAt = (frame: number) => AGENT.subarray(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES);
  for (let frame = 0; frame < FRAMES; frame++) {
    played.agent(frameAt(frame), FRAME_SAMPLES);
    const heard = frame - lateFrames;
    if (heard < LAG) continue;
    bands.measure(frameAt(heard - LAG), powers, 0);
    const echo = powers.map((power) => power * GAIN);
    const power = echo.reduce((sum, band) => sum + band, 0);
    gains.remember(
      heard,
      echo.map((band) => Math.log2(band + 1)),
      power,
    );
  }
  return gains.learn(played, FRAMES - 1 - lateFrames, LAG);
}

it('the gains of an echo are learnt while the played frames that it returns are remembered', () => {
  expect([0, CLOCK_FRAMES - 1, CLOCK_FRAMES, 4 * CLOCK_FRAMES].map(learns)).toEqual([true, true, false, false]);
});

/** Mean square of each band of the played frames: a square wave in each octave. */
const AMPLITUDE = 2_000;
const PLAYED_POWER = AMPLITUDE ** 2;
const SOUND = Int16Array.from({ length: FRAME_SAMPLES }, (_, at) =>
  Array.from({ length: BANDS }, (__, band) => (Math.floor(at / 2 ** band) % 2 === 0 ? AMPLITUDE : -AMPLITUDE)).reduce(
    (sum, sample) => sum + sample,
  ),
);
/** The frames at a lag that are learnt from. */
const DEPTH = REMEMBERED_FRAMES - LAG - CLOCK_FRAMES;
const COVERED_SHARE = 0.8;
const MARGIN = 4;
const SPEAKING_MARGIN = 2;
/** −6 dB and −60 dB. */
const GAIN_MAX = 2 ** -2;
const GAIN_MIN = 2 ** -20;
/** Steps of a gain in a frame, in binary logarithms. */
const STEP_UP = 0.06;
const STEP_DOWN = 0.015;
const NEAR_END_SLOWNESS = 20;
/** A frame this many times weaker than the prediction is missing, and a quarter of the predicted frames may be. */
const MISSING_RATIO = 8;
const MISSING_SHARE_MAX = 0.25;
const MISSING_STEP = 0.01;
const PREDICTED_FRAMES_MIN = 20;
/** Mean square of −55 dBFS in all bands. */
const PREDICTED_POWER_MIN = (32_768 * 10 ** (-55 / 20)) ** 2;
const EVERYWHERE = [GAIN, GAIN, GAIN, GAIN];

/** A line that plays square waves or nothing, and returns each frame with the gains that are given for it. */
class GainsLine {
  readonly gains = new EchoGains();
  readonly played = new PlayedAudio();
  frame = -1;

  play(isLoud = true): this {
    if (isLoud) this.played.agent(SOUND, FRAME_SAMPLES);
    else this.played.agentSilent(20);
    this.frame++;
    return this;
  }

  /** The echo that arrives now, as gains of the bands; null: nothing. */
  hear(gains: readonly number[] | null): this {
    const powers = Float64Array.from(gains ?? [0, 0, 0, 0], (gain) => gain * PLAYED_POWER);
    this.gains.remember(
      this.frame,
      powers.map((power) => Math.log2(power + 1)),
      gains === null ? 0 : sum(powers),
    );
    return this;
  }

  learns(): boolean {
    return this.gains.learn(this.played, this.frame, LAG);
  }

  /** The predicted gain of each band, for the frame that was played `LAG` frames ago. */
  predicted(source = this.frame - LAG): readonly number[] {
    this.gains.predict(this.played, source);
    return Array.from({ length: BANDS }, (_, band) => {
      const powers = new Float64Array(BANDS);
      powers[band] = 2 * MARGIN * PLAYED_POWER;
      return (2 * MARGIN * PLAYED_POWER - this.gains.residual(powers, false)) / MARGIN / PLAYED_POWER;
    });
  }
}

const sum = (powers: Float64Array) => powers.reduce((all, power) => all + power, 0);

/** A line that returned a loud frame in each of the last frames, with the gains of `gainsAt` (0: the newest). */
function lineOf(gainsAt: (back: number) => readonly number[] | null, isLoudAt: (back: number) => boolean = () => true) {
  const line = new GainsLine();
  for (let back = 2 * REMEMBERED_FRAMES - 1; back >= 0; back--) line.play(isLoudAt(back)).hear(gainsAt(back));
  return line;
}
const learntLine = (gains = EVERYWHERE) => {
  const line = lineOf(() => gains);
  expect(line.learns()).toBe(true);
  return line;
};
function expectGains(actual: readonly number[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  for (const [band, gain] of expected.entries()) expect((actual[band] ?? 0) / gain).toBeCloseTo(1, 3);
}

describe('the gains of an echo', () => {
  it('are learnt for each band', () => {
    const gains = [0.05, 0.1, 0.02, 0.2];
    expectGains(learntLine(gains).predicted(), gains);
  });

  it('are between −60 and −6 dB', () => {
    expectGains(learntLine([0.5, GAIN, GAIN_MIN / 4, GAIN]).predicted(), [GAIN_MAX, GAIN, GAIN_MIN, GAIN]);
  });

  it('are zero before they are learnt', () => {
    expect(lineOf(() => EVERYWHERE).predicted()).toEqual([0, 0, 0, 0]);
  });

  it('cover four of five frames', () => {
    const louder = EVERYWHERE.map((gain) => 3 * gain);
    const withLouder = (frames: number) => {
      const line = lineOf((back) => (back < frames ? louder : EVERYWHERE));
      expect(line.learns()).toBe(true);
      return line.predicted();
    };
    const most = DEPTH - Math.floor(COVERED_SHARE * DEPTH) - 1;
    expectGains(withLouder(most), EVERYWHERE);
    expectGains(withLouder(most + 1), louder);
  });

  it('are learnt from the remembered frames alone', () => {
    const louder = EVERYWHERE.map((gain) => 3 * gain);
    const line = lineOf((back) => (back < DEPTH ? EVERYWHERE : louder));
    expect(line.learns()).toBe(true);
    expectGains(line.predicted(), EVERYWHERE);
  });

  it('are learnt from frames with sound, of loud played frames', () => {
    const withSilence = lineOf((back) => (back % 5 === 1 ? null : EVERYWHERE));
    expect(withSilence.learns()).toBe(true);
    expectGains(withSilence.predicted(), EVERYWHERE);
    const isLoudAt = (back: number) => back < LAG || back % 3 > 0;
    const loud = EVERYWHERE.map(() => GAIN_MAX);
    const ofSilence = lineOf((back) => (isLoudAt(back + LAG) ? EVERYWHERE : loud), isLoudAt);
    expect(ofSilence.learns()).toBe(true);
    expectGains(ofSilence.predicted(), EVERYWHERE);
  });

  it('are not learnt from the sound that was heard long before the frames without sound', () => {
    const louder = EVERYWHERE.map((gain) => 3 * gain);
    const line = lineOf((back) => (back >= REMEMBERED_FRAMES ? louder : back % 4 === 1 ? null : EVERYWHERE));
    expect(line.learns()).toBe(true);
    expectGains(line.predicted(), EVERYWHERE);
  });

  it('are not learnt from the frames before a gap, as if they were those of the gap', () => {
    const line = learntLine();
    for (let at = 0; at < REMEMBERED_FRAMES; at++) line.play();
    expect(line.hear(EVERYWHERE).learns()).toBe(false);
  });

  it('are not learnt from the frames before a gap that is longer than what is remembered', () => {
    const line = learntLine();
    for (let at = 0; at < 3 * REMEMBERED_FRAMES; at++) line.play();
    expect(line.hear(EVERYWHERE).learns()).toBe(false);
  });

  it('stay if the remembered frames show no echo', () => {
    const line = learntLine();
    for (let at = 0; at < DEPTH; at++) line.play().hear(at % 2 === 0 ? null : EVERYWHERE.map((gain) => 2 * gain));
    expect(line.learns()).toBe(false);
    expectGains(line.predicted(), EVERYWHERE);
  });

  it('are learnt while a quarter of the predicted echoes at most is missing', () => {
    const withMissing = (frames: number) => lineOf((back) => (back < frames ? null : EVERYWHERE)).learns();
    const most = Math.floor(MISSING_SHARE_MAX * DEPTH);
    expect(most).toBe(MISSING_SHARE_MAX * DEPTH);
    expect([withMissing(most), withMissing(most + 1)]).toEqual([true, false]);
  });

  it('count an echo as missing that is 9 dB weaker than predicted', () => {
    const withWeaker = (ratio: number) =>
      lineOf((back) => (back < 0.4 * DEPTH && back % 2 === 0 ? EVERYWHERE.map((gain) => gain / ratio) : null)).learns();
    expect(withWeaker(1)).toBe(false);
    const weaker = (ratio: number) =>
      lineOf((back) => (back % 3 === 0 ? EVERYWHERE.map((gain) => gain / ratio) : EVERYWHERE)).learns();
    expect([weaker(MISSING_RATIO * 0.95), weaker(MISSING_RATIO * 1.05)]).toEqual([true, false]);
  });

  it('are learnt from 0.4 s of predicted echo', () => {
    // So weak that neither the room nor the frame before a loud one is predicted to return an echo.
    const weak = EVERYWHERE.map(() => (1.5 * PREDICTED_POWER_MIN) / BANDS / PLAYED_POWER);
    // A loud frame counts for the received frame before it too: an echo may begin in the middle of one.
    const learnsFrom = (loudFrames: number) => {
      const isLoudAt = (back: number) => back >= LAG && back < LAG + loudFrames;
      return lineOf((back) => (isLoudAt(back + LAG) || isLoudAt(back + LAG - 1) ? weak : null), isLoudAt).learns();
    };
    expect([learnsFrom(PREDICTED_FRAMES_MIN - 2), learnsFrom(PREDICTED_FRAMES_MIN - 1)]).toEqual([false, true]);
  });

  it('predict nothing to learn from under −55 dBFS', () => {
    const ofPower = (power: number) => EVERYWHERE.map(() => power / BANDS / PLAYED_POWER);
    expect(lineOf(() => ofPower(1.05 * PREDICTED_POWER_MIN)).learns()).toBe(true);
    expect(lineOf(() => ofPower(0.95 * PREDICTED_POWER_MIN)).learns()).toBe(false);
  });
});

describe('the prediction of an echo', () => {
  it('takes the louder one of two played frames, since an echo may begin in the middle of a frame', () => {
    const line = learntLine();
    for (let at = 0; at < REMEMBERED_FRAMES; at++) line.play(at === LAG);
    const loud = line.frame - REMEMBERED_FRAMES + 1 + LAG;
    expectGains(line.predicted(loud), EVERYWHERE);
    expectGains(line.predicted(loud - 1), EVERYWHERE);
    expect(line.predicted(loud - 2).every((gain) => gain < GAIN / 1_000)).toBe(true);
  });

  it('explains powers 6 dB over it, or 3 dB over it while the user speaks', () => {
    const line = learntLine();
    line.gains.predict(line.played, line.frame - LAG);
    const predicted = GAIN * PLAYED_POWER;
    const residual = (isSpeaking: boolean, ...powers: number[]) =>
      line.gains.residual(Float64Array.from(powers), isSpeaking) / predicted;
    const of = (ratio: number) => ratio * predicted;
    expect(residual(false, of(3.9), of(3.9), of(3.9), of(3.9))).toBe(0);
    expect(residual(true, of(1.9), of(1.9), of(1.9), of(1.9))).toBe(0);
    expect(residual(false, of(MARGIN + 1), 0, of(MARGIN + 3), 0)).toBeCloseTo(4, 3);
    expect(residual(true, 0, of(SPEAKING_MARGIN + 1), 0, of(SPEAKING_MARGIN + 3))).toBeCloseTo(4, 3);
  });
});

describe('the gains of a line that changes', () => {
  const echoOf = (gain: number) => Float64Array.from({ length: BANDS }, () => gain * PLAYED_POWER);
  /** Takes one frame with an echo of these gains, while the user speaks or not. */
  const adapted = (line: GainsLine, powers: Float64Array, isNear: boolean) => {
    line.gains.predict(line.played, line.frame - LAG);
    return line.gains.adapt(powers, sum(powers), isNear);
  };
  const stepOf = (gains: readonly number[]) => gains.map((gain) => Math.log2(gain / GAIN));
  const expectSteps = (line: GainsLine, steps: readonly number[]) => {
    for (const [band, step] of stepOf(line.predicted()).entries()) expect(step).toBeCloseTo(steps[band] ?? 0, 3);
  };

  it('follow each band, faster up than down', () => {
    const line = learntLine();
    const powers = echoOf(GAIN / 2);
    powers[1] = 2 * GAIN * PLAYED_POWER;
    expect(adapted(line, powers, false)).toBe(true);
    expectSteps(line, [-STEP_DOWN, STEP_UP, -STEP_DOWN, -STEP_DOWN]);
  });

  it('rise 20 times slower while the user speaks over the echo', () => {
    const line = learntLine();
    for (let at = 0; at < NEAR_END_SLOWNESS; at++) expect(adapted(line, echoOf(10 * GAIN), true)).toBe(true);
    expectSteps(line, [STEP_UP, STEP_UP, STEP_UP, STEP_UP]);
    expect(adapted(line, echoOf(GAIN / 2), true)).toBe(true);
    expectSteps(
      line,
      EVERYWHERE.map(() => STEP_UP - STEP_DOWN),
    );
  });

  it('rise to −6 dB at most', () => {
    const line = learntLine();
    for (let at = 0; at < 100; at++) adapted(line, echoOf(1), false);
    expectGains(
      line.predicted(),
      EVERYWHERE.map(() => GAIN_MAX),
    );
  });

  it('stay while the prediction is quieter than −55 dBFS', () => {
    const line = learntLine();
    for (let at = 0; at < REMEMBERED_FRAMES; at++) line.play(at === 0);
    for (let at = 0; at < 100; at++) expect(adapted(line, echoOf(0), false)).toBe(true);
    expectGains(line.predicted(line.frame - REMEMBERED_FRAMES + 1), EVERYWHERE);
  });

  /** The frames until the echo is gone; infinite: never. */
  const framesUntilGone = (line: GainsLine, powerOf: (predicted: number) => number) => {
    for (let frames = 1; frames < 200; frames++) {
      const predicted = line.predicted().reduce((all, gain) => all + gain, 0) * PLAYED_POWER;
      line.gains.predict(line.played, line.frame - LAG);
      if (!line.gains.adapt(new Float64Array(BANDS), powerOf(predicted), false)) return frames;
    }
    return Number.POSITIVE_INFINITY;
  };
  const gone = Math.floor(Math.log(1 - MISSING_SHARE_MAX) / Math.log(1 - MISSING_STEP)) + 1;

  it('are those of no echo once a quarter of the last two seconds is missing', () => {
    expect(framesUntilGone(learntLine(), () => 0)).toBe(gone);
  });

  it('are those of an echo while it is less than 9 dB weaker than predicted', () => {
    expect(framesUntilGone(learntLine(), (predicted) => (1.01 * predicted) / MISSING_RATIO)).toBe(
      Number.POSITIVE_INFINITY,
    );
    expect(framesUntilGone(learntLine(), (predicted) => (0.99 * predicted) / MISSING_RATIO)).toBe(gone);
  });

  it('are those of an echo while fewer frames are missing', () => {
    const line = learntLine();
    let at = 0;
    expect(framesUntilGone(line, (predicted) => (at++ % 5 === 0 ? 0 : predicted))).toBe(Number.POSITIVE_INFINITY);
  });

  it('are judged from the start once they are learnt again', () => {
    const line = learntLine();
    for (let at = 1; at < gone; at++) expect(adapted(line, echoOf(0), false)).toBe(true);
    expect(line.learns()).toBe(true);
    expect(framesUntilGone(line, () => 0)).toBe(gone);
  });
});
