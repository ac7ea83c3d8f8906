import { describe, expect, it } from 'vitest';
import { seeded } from '../../../../../fixtures/sound/speakerphone.ts';
import { BANDS, FRAME_SAMPLES } from '../../../../../sip/media/detection/echo/band-powers.ts';
import { LAGS, LagSearch } from '../../../../../sip/media/detection/echo/lag-search.ts';
import { PlayedAudio, REMEMBERED_FRAMES } from '../../../../../sip/media/detection/echo/played-audio.ts';

/** An echo is accepted from this much sound on. */
const FRAMES_MIN = 25;
/** Sound without resemblance decides that there is no echo after this many frames of full weight. */
const UNRELATED_FRAMES = 53;
/** Earlier frames lose this share of their weight with each one. */
const KEPT_SHARE = 0.99;
/** Loud frames at each lag that return nothing decide that there is no echo. */
const UNHEARD_FRAMES_MIN = 15;
const weightOf = (frames: number) => (1 - KEPT_SHARE ** frames) / (1 - KEPT_SHARE);
/** The first number of frames with this weight. */
const framesOfWeight = (weight: number) => {
  let frames = 1;
  while (weightOf(frames) < weight) frames++;
  return frames;
};

/** The lag of the sound, several lags with the share of each, sound without resemblance, or no sound. */
type Heard = number | readonly (readonly [lag: number | 'other', share: number])[] | 'other' | 'nothing';

/** Plays noise whose octaves change from frame to frame, and hears it `lag` frames later. */
class Line {
  readonly search = new LagSearch();
  readonly #played = new PlayedAudio();
  readonly #random = seeded(7);
  readonly #other = seeded(11);
  readonly #levels: Float64Array[] = [];
  #frame = 0;

  /** One frame; the answer is the lag that may be that of the echo. */
  next(heard: Heard, isLoud = true): number {
    this.#play(isLoud);
    const frame = this.#frame++;
    if (heard === 'nothing') {
      this.search.unheard(this.#played, frame);
      return -1;
    }
    return this.search.heard(this.#played, frame, this.#levelsOf(heard, frame));
  }

  #levelsOf(heard: Exclude<Heard, 'nothing'>, frame: number): Float64Array {
    if (heard === 'other') return this.#otherLevels();
    const echoes = typeof heard === 'number' ? [[heard, 1] as const] : heard;
    const sum = new Float64Array(BANDS);
    for (const [lag, share] of echoes) {
      const levels = lag === 'other' ? this.#otherLevels() : this.#levels[frame - lag];
      for (let band = 0; band < BANDS; band++) sum[band] = (sum[band] ?? 0) + share * (levels?.[band] ?? 0);
    }
    return sum;
  }

  /** The answers for this many frames. */
  run(frames: number, heard: Heard, isLoud = true): readonly number[] {
    return Array.from({ length: frames }, () => this.next(heard, isLoud));
  }

  #otherLevels(): Float64Array {
    return Float64Array.from({ length: BANDS }, () => 6 * this.#other() - 3);
  }

  #play(isLoud: boolean): void {
    const amplitudes = Array.from({ length: BANDS }, () => (isLoud ? 2 ** (8 + 4 * this.#random()) : 0));
    const samples = Int16Array.from({ length: FRAME_SAMPLES }, (_, at) =>
      amplitudes.reduce(
        (sum, amplitude, band) => sum + (Math.floor(at / 2 ** band) % 2 === 0 ? amplitude : -amplitude),
        0,
      ),
    );
    this.#played.agent(samples, samples.length);
    const frame = this.#played.frames - 1;
    // The levels of the played frame, as a search sees them.
    const unit = new Float64Array(BANDS);
    const levels = new Float64Array(BANDS);
    for (let band = 0; band < BANDS; band++) {
      unit.fill(0);
      unit[band] = 1;
      levels[band] = this.#played.correlate(frame, unit);
    }
    this.#levels.push(levels);
  }
}

const LAG = 9;
const OTHER_LAG = 20;
/** Enough played frames for each lag. */
const started = () => {
  const line = new Line();
  for (let at = 0; at < LAGS; at++) line.next('nothing', at % 4 === 0);
  return line;
};

describe('the lag of an echo', () => {
  it.each([0, LAG, LAGS - 1])('is found after half a second of sound: %i', (lag) => {
    const found = started().run(60, lag);
    const first = found.findIndex((candidate) => candidate >= 0);
    expect(first + 1).toBe(framesOfWeight(FRAMES_MIN));
    expect(new Set(found.slice(first))).toEqual(new Set([lag]));
  });

  it('is a candidate only until it is accepted', () => {
    const line = started();
    line.run(40, LAG);
    line.search.accept(LAG);
    expect(line.search).toMatchObject({ lag: LAG, isDecided: true });
    expect(new Set(line.run(40, LAG))).toEqual(new Set([-1]));
  });

  it('is replaced by another one that fits better for some time', () => {
    const line = started();
    line.run(40, LAG);
    line.search.accept(LAG);
    const found = line.run(200, OTHER_LAG);
    expect(found[0]).toBe(-1);
    expect(found.at(-1)).toBe(OTHER_LAG);
  });

  it.each([0, LAG])('is not replaced by another one that fits hardly better: %i', (lag) => {
    const line = started();
    line.run(40, lag);
    line.search.accept(lag);
    const found = line.run(400, [
      [lag, 0.65],
      [OTHER_LAG, 0.7],
    ]);
    expect(new Set(found)).toEqual(new Set([-1]));
  });

  it('is unknown again once it is forgotten, and found after as much sound', () => {
    const line = started();
    line.run(60, LAG);
    line.search.accept(LAG);
    line.search.forget();
    const found = line.run(60, LAG);
    expect(found.findIndex((candidate) => candidate >= 0) + 1).toBe(framesOfWeight(FRAMES_MIN));
  });

  it('stays known in a frame without sound', () => {
    const line = started();
    line.search.accept(LAG);
    line.next('nothing');
    expect(line.search).toMatchObject({ lag: LAG, isDecided: true });
  });

  it.each([3, -3, -LAG, LAGS, REMEMBERED_FRAMES - 1 - LAG])(
    'moves with the clocks by %i frames, and back',
    (frames) => {
      const { search } = started();
      search.accept(LAG);
      expect(search.shift(frames)).toBe(true);
      expect(search).toMatchObject({ lag: LAG + frames, isDecided: true });
      expect(search.shift(-frames)).toBe(true);
      expect(search.lag).toBe(LAG);
    },
  );

  it.each([-LAG - 1, REMEMBERED_FRAMES - LAG])(
    'is forgotten once it moves by %i frames out of the remembered audio',
    (frames) => {
      const { search } = started();
      search.accept(LAG);
      expect(search.shift(frames)).toBe(false);
      expect(search).toMatchObject({ lag: -1, isDecided: false });
    },
  );

  it('stays unknown when the clocks move', () => {
    const { search } = started();
    expect(search.shift(3)).toBe(true);
    expect(search.lag).toBe(-1);
  });

  it('is searched again with the moved clocks', () => {
    const line = started();
    line.run(200, LAG);
    line.search.shift(1);
    expect(new Set(line.run(framesOfWeight(FRAMES_MIN) - 1, LAG + 1))).toEqual(new Set([-1]));
    expect(line.next(LAG + 1)).toBe(LAG + 1);
  });
});

describe('no echo', () => {
  it('is decided after 1.5 s of sound that resembles the played audio at no lag', () => {
    const line = started();
    const frames = framesOfWeight(UNRELATED_FRAMES);
    const found = line.run(frames - 1, 'other');
    expect(line.search.isDecided).toBe(false);
    line.run(20, 'other');
    expect(line.search).toMatchObject({ isDecided: true, lag: -1 });
    expect(new Set(found)).toEqual(new Set([-1]));
  });

  it('is decided for sound whose levels are the opposite of those of the played audio', () => {
    const line = started();
    expect(new Set(line.run(2 * framesOfWeight(UNRELATED_FRAMES), [[LAG, -1]]))).toEqual(new Set([-1]));
    expect(line.search).toMatchObject({ isDecided: true, lag: -1 });
  });

  it('is decided for sound while nothing was played, and for sound of an even level', () => {
    const levels = { even: 0, louder: 1 };
    for (const level of Object.values(levels)) {
      const search = new LagSearch();
      const played = new PlayedAudio();
      for (let frame = 0; frame < 2 * framesOfWeight(UNRELATED_FRAMES); frame++) {
        played.agentSilent(20);
        expect(search.heard(played, frame, new Float64Array(BANDS).fill(level))).toBe(-1);
      }
      expect(search).toMatchObject({ isDecided: true, correlation: 0 });
    }
  });

  it('is not decided for sound that resembles the played audio a little', () => {
    const line = started();
    const found = line.run(2 * framesOfWeight(UNRELATED_FRAMES), [
      [LAG, 0.3],
      ['other', 0.85],
    ]);
    expect(new Set(found)).toEqual(new Set([-1]));
    expect(line.search.correlation).toBeGreaterThan(0.4);
    expect(line.search.isDecided).toBe(false);
  });

  it('is decided again after an echo was forgotten', () => {
    const line = new Line();
    line.run(UNHEARD_FRAMES_MIN + LAGS - 2, 'nothing');
    line.search.forget();
    line.run(UNHEARD_FRAMES_MIN - 1, 'nothing');
    expect(line.search.isDecided).toBe(false);
    line.next('nothing');
    expect(line.search.isDecided).toBe(true);
  });

  it('is decided once loud audio has returned nothing at each lag', () => {
    const line = new Line();
    line.run(UNHEARD_FRAMES_MIN + LAGS - 2, 'nothing');
    expect(line.search.isDecided).toBe(false);
    line.next('nothing');
    expect(line.search).toMatchObject({ isDecided: true, lag: -1 });
  });

  it('is not decided while nothing loud is played', () => {
    const line = new Line();
    line.run(4 * LAGS, 'nothing', false);
    expect(line.search.isDecided).toBe(false);
  });
});
