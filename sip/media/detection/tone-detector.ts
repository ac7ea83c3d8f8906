import { WINDOW_SAMPLES } from './spectrum.ts';
import { Tonality } from './tonality.ts';
import { ToneRun } from './tone-run.ts';

/** 20 ms at 8 kHz: the step of the window. */
const STEP_SAMPLES = 160;
const SAMPLES_PER_MS = 8;
/** Four full windows prove 92 ms of tone. A tone of 120 ms contains them at any packet offset. */
const FULL_WINDOWS_MIN = 4;
/** A window is full of the tone if its level is this close to the loudest window. Speech varies more. */
const FULL_LEVEL_DB = 1.5;
/** Windows of a tone that are not full: at its edges, and where a packet was lost. */
const OTHER_WINDOWS_MAX = 6;
/** The measured frequency of a steady tone varies by this in noise 5 dB below it. The pitch of a voice varies more. */
const DRIFT_HZ = 5;
/** A lost packet affects at most two windows. */
const MISSES_MAX = 2;
/** Windows whose power is remembered: enough for the longest gap of a run and the windows around it. */
const REMEMBERED = 64;
/** The windows before and after a run of tones that are compared with it. The first does not overlap the tone. */
const AROUND_FIRST = 3;
const AROUND_LAST = 7;
/**
 * The audio around a beep is at least this much weaker. The loudest windows of noise 5 dB below a beep are 4 dB weaker.
 */
const CONTRAST_DB = 3;
/**
 * Power of a beep apart from its tones: at most `REST_DB` above the audio around it, or `OWN_REST_DB` below the tones,
 * for the harmonics of a poor loudspeaker.
 */
const REST_DB = 2;
const OWN_REST_DB = 13;
/** Correction of start and end: a full window starts up to 60 samples before the tone, or up to a step after it. */
const EDGE_MS = 2.5;

/** A beep, or special information tones (SIT). Times in ms of the peer's audio, accurate to about 15 ms. */
export interface DetectedTone {
  readonly type: 'tone';
  readonly kind: 'beep' | 'sit';
  readonly frequencyHz: number;
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Detects voicemail beeps and special information tones in audio at 8 kHz, among speech, music, ringing tones and DTMF.
 * Emits a tone once no other tone of the run can follow: 0.2 s after its end, or 0.7 s in the band of ringing tones.
 * Allocates only for emitted tones.
 */
export class ToneDetector {
  readonly #window = new Int16Array(WINDOW_SAMPLES);
  readonly #tonality = new Tonality();
  readonly #run = new ToneRun();
  #filled = 0;
  #samples: number;
  /** Windows of the current tone; 0 without one. */
  #windows = 0;
  #misses = 0;
  #firstHz = 0;
  #secondHz = 0;
  #loudestDb = 0;
  #full = 0;
  #fullSince = 0;
  #fullUntil = 0;
  /** Sum of the power apart from the tone, over the full windows. */
  #rest = 0;
  /** The number of windows so far, and their band power. */
  #steps = 0;
  readonly #bands = new Float64Array(REMEMBERED);
  /** The maximum power in the windows before the current tone. */
  #ahead = 0;
  #fullLast = 0;
  /**
   * Levels of the run: of the weakest tone, the maximum power apart from the tones, and the maximum power before the
   * run.
   */
  #runLevelDb = 0;
  #runRest = 0;
  #before = 0;
  #runLast = 0;

  /** @param samples position of the next sample in the stream */
  constructor(samples = 0) {
    this.#samples = samples;
  }

  /** Takes the next `length` samples of the stream. */
  write(samples: Int16Array, length: number, emit: (tone: DetectedTone) => void): void {
    for (let i = 0; i < length; i++) {
      if (this.#filled === 0) this.#window.copyWithin(0, STEP_SAMPLES);
      this.#window[WINDOW_SAMPLES - STEP_SAMPLES + this.#filled++] = samples[i] ?? 0;
      this.#samples++;
      if (this.#filled < STEP_SAMPLES) continue;
      this.#filled = 0;
      this.#step(emit);
    }
  }

  /** The stream paused (no packets): the current tone has ended. */
  interrupt(emit: (tone: DetectedTone) => void): void {
    this.#endTone();
    this.#endRun(emit);
    this.#window.fill(0);
  }

  #step(emit: (tone: DetectedTone) => void): void {
    this.#tonality.judge(this.#window);
    this.#steps++;
    this.#bands[this.#steps % REMEMBERED] = this.#tonality.band;
    if (this.#goesOn()) this.#follow();
    else if (this.#windows > 0 && this.#misses < MISSES_MAX && !this.#isAnother()) this.#misses++;
    else {
      this.#endTone();
      if (this.#tonality.tones > 0) this.#begin();
    }
    // A tone that started in time may still belong to the run.
    if (this.#full < 2 && this.#run.isOver(this.#samples / SAMPLES_PER_MS)) this.#endRun(emit);
  }

  #goesOn(): boolean {
    const { tones, firstHz, secondHz } = this.#tonality;
    if (this.#windows === 0 || tones === 0) return false;
    // The second frequency of a single tone is 0. Of two equal tones either may be the stronger one.
    return (
      (near(firstHz, this.#firstHz) && near(secondHz, this.#secondHz)) ||
      (near(firstHz, this.#secondHz) && near(secondHz, this.#firstHz))
    );
  }

  /** The window contains another tone, so it is not a gap in the current one. */
  #isAnother(): boolean {
    return this.#tonality.tones > 0 && !near(this.#tonality.firstHz, this.#firstHz);
  }

  #begin(): void {
    const { firstHz, secondHz } = this.#tonality;
    this.#windows = 1;
    this.#misses = 0;
    this.#firstHz = firstHz;
    this.#secondHz = secondHz;
    this.#startFull();
  }

  #follow(): void {
    const { firstHz, secondHz, levelDb, tones } = this.#tonality;
    this.#windows += 1 + this.#misses;
    this.#misses = 0;
    if (levelDb > this.#loudestDb + FULL_LEVEL_DB) {
      // The windows so far contained only the tone's start, so their frequencies are less precise.
      this.#firstHz = firstHz;
      this.#secondHz = secondHz;
      this.#startFull();
      return;
    }
    if (levelDb < this.#loudestDb - FULL_LEVEL_DB) return;
    this.#loudestDb = Math.max(this.#loudestDb, levelDb);
    this.#full++;
    this.#fullUntil = this.#samples;
    this.#fullLast = this.#steps;
    this.#rest += this.#tonality.rest;
    const swapped = tones === 2 && !near(firstHz, this.#firstHz);
    this.#firstHz += ((swapped ? secondHz : firstHz) - this.#firstHz) / this.#full;
    this.#secondHz += ((swapped ? firstHz : secondHz) - this.#secondHz) / this.#full;
  }

  #startFull(): void {
    this.#loudestDb = this.#tonality.levelDb;
    this.#full = 1;
    this.#rest = this.#tonality.rest;
    this.#ahead = this.#mostBetween(this.#steps - AROUND_LAST, this.#steps - AROUND_FIRST);
    this.#fullLast = this.#steps;
    this.#fullSince = this.#samples - WINDOW_SAMPLES;
    this.#fullUntil = this.#samples;
  }

  #endTone(): void {
    const windows = this.#windows;
    const full = this.#full;
    this.#windows = 0;
    this.#full = 0;
    if (full < FULL_WINDOWS_MIN || windows - full > OTHER_WINDOWS_MAX) return;
    const isFirst = this.#run.count === 0;
    const rest = this.#rest / full;
    if (isFirst) this.#before = this.#ahead;
    this.#runLevelDb = isFirst ? this.#loudestDb : Math.min(this.#runLevelDb, this.#loudestDb);
    this.#runRest = isFirst ? rest : Math.max(this.#runRest, rest);
    this.#runLast = this.#fullLast;
    const startMs = Math.max(0, this.#fullSince / SAMPLES_PER_MS - EDGE_MS);
    this.#run.add(this.#firstHz, this.#secondHz, startMs, this.#fullUntil / SAMPLES_PER_MS + EDGE_MS);
  }

  /** A steady vowel does not stand alone: the voice is loud around it too, and it has several harmonics. */
  #standsAlone(): boolean {
    const after = this.#mostBetween(this.#runLast + AROUND_FIRST, this.#runLast + AROUND_LAST);
    const aroundDb = decibels(Math.max(this.#before, after));
    if (aroundDb > this.#runLevelDb - CONTRAST_DB) return false;
    return decibels(this.#runRest) <= Math.max(aroundDb + REST_DB, this.#runLevelDb - OWN_REST_DB);
  }

  /** The maximum band power of the windows from `first` to `last`. Windows before the stream count as silent. */
  #mostBetween(first: number, last: number): number {
    let most = 0;
    for (let step = Math.max(1, first); step <= Math.min(last, this.#steps); step++) {
      most = Math.max(most, this.#bands[step % REMEMBERED] ?? 0);
    }
    return most;
  }

  #endRun(emit: (tone: DetectedTone) => void): void {
    const kind = this.#run.finish();
    if (kind === 'none' || !this.#standsAlone()) return;
    const { frequencyHz, startMs, endMs } = this.#run;
    emit({
      type: 'tone',
      kind,
      frequencyHz: Math.round(frequencyHz),
      startMs: Math.round(startMs),
      endMs: Math.round(endMs),
    });
  }
}

function decibels(power: number): number {
  return 10 * Math.log10(Math.max(power, 1));
}

function near(aHz: number, bHz: number): boolean {
  return Math.abs(aHz - bHz) <= DRIFT_HZ;
}
