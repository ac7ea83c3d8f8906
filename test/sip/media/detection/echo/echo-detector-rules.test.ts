import { describe, expect, it } from 'vitest';
import { seeded } from '../../../../../fixtures/sound/speakerphone.ts';
import { BANDS, FRAME_SAMPLES } from '../../../../../sip/media/detection/echo/band-powers.ts';
import { ECHO, EchoDetector, NEAR_END, UNCERTAIN } from '../../../../../sip/media/detection/echo/echo-detector.ts';
import { LAGS } from '../../../../../sip/media/detection/echo/lag-search.ts';
import { PlayedAudio, REMEMBERED_FRAMES } from '../../../../../sip/media/detection/echo/played-audio.ts';

const FRAME_MS = 20;
/** The echo of a sound may end this many frames after the longest lag. */
const TAIL_FRAMES = 10;
/** A lag is tried once in this many frames. */
const TRIAL_FRAMES = 5;
/** Received frames may be later than the earliest ones by the first; by more for the second, after the last one in time. */
const CLOCK_SLIP_FRAMES = 12;
const STALL_FRAMES = 64;
/** The echo of a loud enough agent is known after this much of it. */
const LEARNING_FRAMES = 60;
/** No echo: loud frames at each lag that return nothing, or sound of 1.5 s that resembles none. */
const UNHEARD_FRAMES = 15 + LAGS - 1;
const UNRELATED_FRAMES = 76;
/** The echo is gone after 0.6 s without it at the latest. */
const GONE_FRAMES = 30;
/** From this level on sound is learnt from, and what the echo does not explain is the peer's, in dB below full scale. */
const HEARD_DB = -60;
const RESIDUAL_DB = -50;
const LAG = 20;
/** The echo's amplitude. */
const GAIN = 0.2;

const sourceOf = (amplitudes: readonly number[]) =>
  Int16Array.from({ length: FRAME_SAMPLES }, (_, at) =>
    amplitudes.reduce(
      (sum, amplitude, band) => sum + (Math.floor(at / 2 ** band) % 2 === 0 ? amplitude : -amplitude),
      0,
    ),
  );
/** A wave of the highest octave at a level. */
const waveOf = (db: number) => sourceOf([32_768 * 10 ** (db / 20), 0, 0, 0]);
const SILENT = new Int16Array(FRAME_SAMPLES);

interface Heard {
  /** The echo's amplitude; 0: none. */
  readonly gain?: number;
  /** The peer's own sound. */
  readonly own?: Int16Array;
  readonly isSpeaking?: boolean;
}

/** A call frame by frame: the agent plays noise whose octaves change, and a frame with its echo is received. */
class Call {
  readonly played = new PlayedAudio();
  readonly delays: (number | null)[] = [];
  readonly detector = new EchoDetector(this.played, (delayMs) => this.delays.push(delayMs));
  readonly #random = seeded(7);
  readonly #sources: Int16Array[] = [];
  readonly #lag: number;
  isLoud = true;

  constructor(lag = LAG) {
    this.#lag = lag;
  }

  /** The number of the last played frame. */
  get frame(): number {
    return this.played.frames - 1;
  }

  play(): this {
    const amplitudes = Array.from({ length: BANDS }, () => (this.isLoud ? 2 ** (8 + 4 * this.#random()) : 0));
    const samples = sourceOf(amplitudes);
    this.#sources.push(samples);
    this.played.agent(samples, FRAME_SAMPLES);
    return this;
  }

  /** Receives the frame that the phone sent this many frames ago. */
  receive({ gain = GAIN, own = SILENT, isSpeaking = false }: Heard = {}, late = 0): number {
    const echo = this.#sources[this.frame - late - this.#lag] ?? SILENT;
    return this.detector.hear(
      echo.map((sample, at) => gain * sample + (own[at] ?? 0)),
      isSpeaking,
    );
  }

  next(heard: Heard = {}, late = 0): number {
    return this.play().receive(heard, late);
  }

  /** What this many frames contain. */
  run(frames: number, heard: Heard = {}, late = 0): readonly number[] {
    return Array.from({ length: frames }, () => this.next(heard, late));
  }
}

/** A call whose echo is known. */
function learnt(lag = LAG): Call {
  const call = new Call(lag);
  call.run(lag + LEARNING_FRAMES);
  expect(call.delays).toEqual([lag * FRAME_MS]);
  return call;
}
const allOf = (kinds: readonly number[]) => [...new Set(kinds)];
const silenced = (call: Call) => {
  call.isLoud = false;
  return call;
};

describe('a frame while the echo is not known', () => {
  it('is uncertain', () => {
    const call = new Call();
    expect(allOf(call.run(LAG + 25))).toEqual([UNCERTAIN]);
    expect(call.delays).toEqual([]);
  });

  it('is the peer’s own before the agent has spoken', () => {
    expect(allOf(silenced(new Call()).run(LAGS))).toEqual([NEAR_END]);
  });

  it('is the peer’s own once the longest lag and the reverberation are over', () => {
    const call = new Call();
    call.run(3, { gain: 0 });
    const after = silenced(call).run(LAGS + TAIL_FRAMES + 1, { gain: 0 });
    expect(allOf(after.slice(0, -1))).toEqual([UNCERTAIN]);
    expect(after.at(-1)).toBe(NEAR_END);
  });
});

describe('the echo', () => {
  it.each([0, 1, LAG, LAGS - 1])('is found, once, in one of five frames: lag %i', (lag) => {
    const call = new Call(lag);
    while (call.delays.length === 0 && call.frame < lag + LEARNING_FRAMES) call.next();
    expect(call.delays).toEqual([lag * FRAME_MS]);
    expect(call.frame % TRIAL_FRAMES).toBe(0);
    call.run(2 * LEARNING_FRAMES);
    expect(call.delays).toEqual([lag * FRAME_MS]);
  });

  it('is found as soon in a call that was loud before', () => {
    const call = new Call();
    const own = sourceOf([8_000, 8_000, 8_000, 8_000]);
    silenced(call).run(20 * LEARNING_FRAMES, { own });
    call.isLoud = true;
    call.run(4 * LEARNING_FRAMES);
    expect(call.delays).toEqual([LAG * FRAME_MS]);
  });

  it.each([0, LAG])('is no voice, however the agent speaks: lag %i', (lag) => {
    const call = learnt(lag);
    expect(allOf(call.run(100))).toEqual([ECHO]);
    expect(allOf(call.run(10, { gain: 0 }))).toEqual([ECHO]);
    expect(allOf(silenced(call).run(LAGS + TAIL_FRAMES))).toEqual([ECHO]);
    expect(call.next()).toBe(NEAR_END);
  });

  it('may be 6 dB louder than predicted, or 3 dB while the user speaks', () => {
    const louder = (db: number, isSpeaking: boolean) =>
      allOf(learnt().run(1, { gain: GAIN * 10 ** (db / 20), isSpeaking }));
    expect(louder(5.5, false)).toEqual([ECHO]);
    expect(louder(8, false)).toEqual([NEAR_END]);
    expect(louder(2.5, true)).toEqual([ECHO]);
    expect(louder(5.5, true)).toEqual([NEAR_END]);
  });

  it('does not hide a sound of the peer over −50 dBFS', () => {
    const own = (db: number) => {
      const call = silenced(learnt());
      call.run(LAG + TAIL_FRAMES);
      return allOf(call.run(5, { own: waveOf(db) }));
    };
    expect(own(RESIDUAL_DB - 0.5)).toEqual([ECHO]);
    expect(own(RESIDUAL_DB + 0.5)).toEqual([NEAR_END]);
  });

  it('is expected for longer than the longest lag that is searched, if the clocks have moved it there', () => {
    const call = learnt(LAGS - 1);
    const gap = 40;
    for (let at = 0; at < gap; at++) call.play();
    call.run(STALL_FRAMES, {}, gap);
    const after = silenced(call).run(gap + LAGS - 1 + TAIL_FRAMES + 1, {}, gap);
    expect(allOf(after.slice(0, -1))).toEqual([ECHO]);
    expect(after.at(-1)).toBe(NEAR_END);
  });

  it('is forgotten once it is gone, and found again', () => {
    const call = learnt();
    call.run(GONE_FRAMES / 2, { gain: 0 });
    expect(call.delays).toHaveLength(1);
    call.run(GONE_FRAMES / 2, { gain: 0 });
    expect(call.delays.slice(1)).toEqual([null]);
    expect(call.next()).toBe(UNCERTAIN);
    call.run(3 * LEARNING_FRAMES);
    expect(call.delays.slice(2)).toEqual([LAG * FRAME_MS]);
  });

  it('is not learnt from sound under −60 dBFS', () => {
    const isFound = (db: number) => {
      const call = new Call();
      // All frames of the agent are near −20 dBFS.
      call.run(4 * LEARNING_FRAMES, { gain: 10 ** ((db + 20) / 20) });
      return call.delays.length > 0;
    };
    expect(isFound(HEARD_DB + 15)).toBe(true);
    expect(isFound(HEARD_DB - 15)).toBe(false);
  });
});

describe('a line without echo', () => {
  it('is known once loud audio has returned nothing', () => {
    const call = new Call();
    expect(allOf(call.run(UNHEARD_FRAMES - 1, { gain: 0 }))).toEqual([UNCERTAIN]);
    expect(call.next({ gain: 0 })).toBe(NEAR_END);
    expect(allOf(call.run(100, { gain: 0, own: waveOf(-20) }))).toEqual([NEAR_END]);
    expect(call.delays).toEqual([]);
  });

  it('is known after the noise of a silent line as well, and later after louder noise', () => {
    const framesUntilKnown = (db: number) => {
      const call = new Call();
      while (call.next({ gain: 0, own: waveOf(db) }) === UNCERTAIN) expect(call.frame).toBeLessThan(200);
      return call.frame + 1;
    };
    expect(framesUntilKnown(HEARD_DB - 0.5)).toBe(UNHEARD_FRAMES);
    expect(framesUntilKnown(HEARD_DB + 0.5)).toBe(UNRELATED_FRAMES);
  });
});

describe('the lag of the echo', () => {
  /** The delay that is reported if all frames but the first one are this late. */
  const delayOf = (late: number) => {
    const call = silenced(new Call());
    call.next();
    for (let at = 0; at < late; at++) call.play();
    call.run(STALL_FRAMES, {}, late);
    call.isLoud = true;
    call.run(2 * LEARNING_FRAMES, {}, late);
    return call.delays;
  };

  it('does not contain the jitter of the network', () => {
    expect(delayOf(0)).toEqual([LAG * FRAME_MS]);
    expect(delayOf(CLOCK_SLIP_FRAMES)).toEqual([LAG * FRAME_MS]);
  });

  it('contains the delay of a network that is later for good', () => {
    expect(delayOf(CLOCK_SLIP_FRAMES + 1)).toEqual([(LAG + CLOCK_SLIP_FRAMES + 1) * FRAME_MS]);
  });

  it('counts from the first frame that is received', () => {
    const call = new Call();
    for (let at = 0; at < CLOCK_SLIP_FRAMES - 2; at++) call.play();
    call.run(LAG + LEARNING_FRAMES);
    expect(call.delays).toEqual([LAG * FRAME_MS]);
  });

  it('contains no delay of the first frames, which the later ones do not have', () => {
    const call = new Call();
    const late = 30;
    for (let at = 0; at < late; at++) call.play();
    for (let at = late; at > 0; at--) call.receive({}, at - 1);
    call.run(LAG + 2 * LEARNING_FRAMES);
    expect(call.delays).toEqual([LAG * FRAME_MS]);
  });

  it('is found over a network that holds back every other half second and delivers it at once', () => {
    const call = new Call();
    const held = 25;
    for (let second = 0; second < 4; second++) {
      call.run(held);
      for (let at = 0; at < held; at++) call.play();
      for (let at = held; at > 0; at--) call.receive({}, at - 1);
    }
    expect(call.delays).toEqual([LAG * FRAME_MS]);
  });

  it('moves with the clocks, without another report', () => {
    const call = learnt();
    const late = 30;
    for (let at = 0; at < late; at++) call.play();
    expect(allOf(call.run(4 * LEARNING_FRAMES, {}, late))).toEqual([ECHO]);
    // The frames arrive earlier again, all at once.
    for (let at = late; at > 0; at--) call.receive({}, at - 1);
    expect(allOf(call.run(4 * LEARNING_FRAMES))).toEqual([ECHO]);
    expect(call.delays).toHaveLength(1);
  });

  it('is forgotten if the clocks move it out of the remembered audio', () => {
    const call = learnt();
    const late = REMEMBERED_FRAMES;
    for (let at = 0; at < late; at++) call.play();
    call.run(1, {}, late);
    expect(call.delays.slice(1)).toEqual([null]);
  });

  it('stays during a stall that delivers its frames at once', () => {
    for (const stall of [CLOCK_SLIP_FRAMES + 1, STALL_FRAMES]) {
      const call = learnt();
      for (let at = 0; at < stall; at++) call.play();
      const delivered = Array.from({ length: stall }, (_, at) => call.receive({}, stall - 1 - at));
      expect(allOf([...delivered, ...call.run(2 * LEARNING_FRAMES)])).toEqual([ECHO]);
      expect(call.delays).toHaveLength(1);
    }
  });

  it('stays over frames that are missing', () => {
    const call = learnt();
    const missing = 50;
    for (let at = 0; at < missing; at++) call.play();
    call.detector.skip(missing * FRAME_SAMPLES);
    expect(allOf(call.run(2 * LEARNING_FRAMES))).toEqual([ECHO]);
    expect(call.delays).toHaveLength(1);
  });

  it('stays over missing parts of frames, which make whole ones together', () => {
    const call = learnt();
    const parts = 4 * CLOCK_SLIP_FRAMES;
    for (let at = 0; at < parts; at++) {
      if (at % 4 === 3) call.play();
      call.detector.skip(FRAME_SAMPLES / 4);
    }
    const frames = Array.from({ length: 2 }, () => call.next());
    expect(allOf([...frames, ...call.run(2 * LEARNING_FRAMES)])).toEqual([ECHO]);
    expect(call.delays).toHaveLength(1);
  });

  it('stays in another stream that begins an unknown time later', () => {
    for (const pause of [STALL_FRAMES, 3 * REMEMBERED_FRAMES]) {
      const call = learnt();
      for (let at = 0; at < pause; at++) call.play();
      call.detector.restart();
      expect(allOf(call.run(2 * LEARNING_FRAMES))).toEqual([ECHO]);
      expect(call.delays).toHaveLength(1);
    }
  });

  it('stays in another stream of a network that was late, and is as late', () => {
    const call = learnt();
    const late = 5;
    for (let at = 0; at < late; at++) call.play();
    call.run(LEARNING_FRAMES, {}, late);
    for (let streams = 0; streams < 10; streams++) {
      for (let at = 0; at < STALL_FRAMES; at++) call.play();
      call.detector.restart();
      expect(allOf(call.run(LEARNING_FRAMES, {}, late))).toEqual([ECHO]);
    }
    expect(call.delays).toHaveLength(1);
  });
});
