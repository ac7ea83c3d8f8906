import { describe, expect, it } from 'vitest';
import { RecordingClock } from '../../../../src/calls/redaction/recording-clock.ts';

const FRAME_MS = 20;
/** The recording began this much before the peer's audio. */
const AHEAD_MS = 300;

describe('the place of audio in the recording', () => {
  it('is that of its arrival, also across a gap in the audio', () => {
    const clock = new RecordingClock();
    // The peer sends nothing for two seconds after the first second.
    for (let at = 0; at < 1_000; at += FRAME_MS) clock.add(at, at + AHEAD_MS);
    for (let at = 1_000; at < 2_000; at += FRAME_MS) clock.add(at, at + AHEAD_MS + 2_000);
    expect(clock.recordedMs(0)).toBe(AHEAD_MS);
    expect(clock.recordedMs(980)).toBe(980 + AHEAD_MS);
    expect(clock.recordedMs(1_000)).toBe(1_000 + AHEAD_MS + 2_000);
    expect(clock.recordedMs(5_000)).toBe(5_000 + AHEAD_MS + 2_000);
  });

  it('is not moved by frames that the main thread read late', () => {
    const clock = new RecordingClock();
    const stallUntil = 1_500;
    for (let at = 0; at < 3_000; at += FRAME_MS) {
      const isStalled = at >= 500 && at < stallUntil;
      clock.add(at, isStalled ? stallUntil + AHEAD_MS : at + AHEAD_MS);
    }
    for (const at of [0, 480, 500, 900, 1_480, 2_000]) expect(clock.recordedMs(at)).toBe(at + AHEAD_MS);
  });
});
