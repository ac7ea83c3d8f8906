import { describe, expect, it } from 'vitest';
import type { MediaEvent } from '../../../../engine/ports/media.ts';
import { atLevel, syntheticSpeech } from '../../../../fixtures/sound/recorded-speech.ts';
import { SimulatedLine } from '../../../../fixtures/sound/simulated-line.ts';
import { toneOfSamples } from '../../../rtp-peer/tone.ts';

const FRAME = 160;
const FRAME_MS = 20;
/** A steady sound, so that its level shows the gain. */
const AGENT = toneOfSamples(440, 64_000).map((sample) => sample >> 1);
const SPEECH = atLevel(syntheticSpeech('address-woman'), -20);
/** The line is known to return nothing by then. */
const KNOWN_MS = 2_000;
/** Three voiced frames, and the frame that is sent with them. */
const DETECTED_MS = 80;
const RAMP_MS = 20;
/** From the end of a sound to the full level. */
const RESTORED_MS_MIN = 150;
const RESTORED_MS_MAX = 250;
const DUCKED = 10 ** (-12 / 20);

/** Plays the agent while the user makes a sound, and returns the gain of each sent frame. */
async function gainsDuring(sound: Int16Array, { isDuckable = true, codec = 'pcmu' as const } = {}) {
  const events: MediaEvent[] = [];
  const line = await SimulatedLine.open(codec, (event) => events.push(event));
  let queued = 0;
  const levels: number[] = [];
  while (line.nowMs < 6_000) {
    queued += line.play(1, AGENT, queued, isDuckable);
    const played = line.tick();
    levels.push(Math.sqrt(played.reduce((sum, sample) => sum + sample ** 2, 0) / FRAME));
    const at = (line.nowMs - KNOWN_MS) * 8;
    line.hear(at < 0 ? new Int16Array(FRAME) : paddedFrame(sound, at));
  }
  await line.close();
  const full = levels[10] ?? 1;
  return { gains: levels.map((level) => level / full), events };
}

function paddedFrame(samples: Int16Array, at: number): Int16Array {
  const frame = new Int16Array(FRAME);
  frame.set(samples.subarray(at, at + FRAME));
  return frame;
}

describe('ducking in the media worker', () => {
  it('lowers the agent by 12 dB while the user speaks, and restores it after the end of the sound', async () => {
    const { gains, events } = await gainsDuring(SPEECH.subarray(0, 8_000));
    const started = events.find(({ type }) => type === 'speech_started');
    const stopped = events.findLast(({ type }) => type === 'speech_stopped');
    if (started?.type !== 'speech_started' || stopped?.type !== 'speech_stopped') throw new Error('no activity');
    const at = (ms: number) => gains[Math.round(ms / FRAME_MS)] ?? Number.NaN;
    expect(at(started.audioMs - FRAME_MS)).toBeCloseTo(1, 1);
    expect(at(started.audioMs + DETECTED_MS + RAMP_MS)).toBeCloseTo(DUCKED, 1);
    expect(at(stopped.audioMs + RESTORED_MS_MIN)).toBeCloseTo(DUCKED, 1);
    expect(at(stopped.audioMs + RESTORED_MS_MAX)).toBeCloseTo(1, 1);
    // The voice never stops.
    expect(Math.min(...gains.slice(0, 150))).toBeGreaterThan(DUCKED / 2);
  });

  it('leaves audio alone that may not be ducked', async () => {
    const { gains } = await gainsDuring(SPEECH.subarray(0, 8_000), { isDuckable: false });
    expect(Math.min(...gains.slice(5, 290))).toBeGreaterThan(0.9);
  });
});
