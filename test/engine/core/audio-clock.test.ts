import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AudioClock,
  audioPositionMs,
  audioTimeUs,
  withReceivedAudio,
  withSpeechStart,
} from '../../../engine/core/audio-clock.ts';
import { propertyRuns } from '../properties/property-runs.ts';

const PACKET_MS = 20;
const JITTER_MS_MAX = 500;

/** The clock after entries with these times and audio lengths, in ms. Every gap lies after the audio of the entry before it. */
function clockAfter(...entries: readonly (readonly [atMs: number, audioMs: number])[]): AudioClock {
  let clock: AudioClock | null = null;
  let knownMs = 0;
  for (const [atMs, audioMs] of entries) {
    clock = withReceivedAudio(clock, (atMs - audioMs) * 1000, knownMs);
    knownMs = audioMs;
  }
  if (clock === null) throw new Error('no entries');
  return clock;
}
const timesMs = (clock: AudioClock, ...positionsMs: readonly number[]) =>
  positionsMs.map((positionMs) => audioTimeUs(clock, positionMs) / 1000);

describe('the clock of the user’s audio', () => {
  it('counts from the packet with the smallest delay', () => {
    expect(timesMs(clockAfter([130, 100], [210, 200], [350, 300]), 0, 100)).toEqual([10, 110]);
    expect(timesMs(clockAfter([0, 0], [1_000 + JITTER_MS_MAX, 1_000]), 900)).toEqual([900]);
  });

  it('keeps the times of the audio before a gap', () => {
    const clock = clockAfter([1_000, 1_000], [4_000, 1_000], [7_000, 1_200]);
    expect(timesMs(clock, 900, 1_000, 1_001, 1_200)).toEqual([900, 1_000, 6_801, 7_000]);
  });

  it('counts the audio after a gap from its first packet, not from the last entry within the gap', () => {
    expect(timesMs(clockAfter([1_000, 1_000], [1_600, 1_000], [1_900, 1_040]), 1_040)).toEqual([1_900]);
  });

  it('has no gap if the media worker has filled it', () => {
    const clock = clockAfter([1_000, 1_000], [1_800, 1_000], [1_920, 1_900]);
    expect(clock).toEqual({ epochUs: 0, gaps: [] });
  });

  it('keeps the lag of a peer whose clock is slow, once it counts as a gap', () => {
    const LAG_MS = JITTER_MS_MAX + 1;
    const clock = clockAfter([1_000, 1_000], [2_000 + LAG_MS, 2_000], [2_100 + LAG_MS - 2, 2_100]);
    expect(timesMs(clock, 2_100)).toEqual([2_100 + LAG_MS - 2]);
  });

  it('corrects the time after a gap by a packet with less delay', () => {
    const clock = clockAfter([1_000, 1_000], [4_140, 1_100], [4_220, 1_200]);
    expect(timesMs(clock, 1_000, 1_200)).toEqual([1_000, 4_220]);
  });

  it('remembers 32 gaps', () => {
    const entries = Array.from({ length: 40 }, (_, n) => [n * 1_100, n * 100] as const);
    const clock = clockAfter(...entries);
    expect(clock.gaps).toHaveLength(32);
    // The audio before the oldest gap has the times after the last forgotten one.
    const [oldest] = clock.gaps;
    expect(timesMs(clock, 0)).toEqual([((oldest?.epochUs ?? 0) - 1_000_000) / 1000]);
  });

  it('has a gap before the speech that ends it', () => {
    const clock = clockAfter([1_000, 1_000], [4_000, 1_000], [4_100, 1_100]);
    expect(timesMs(withSpeechStart(clock, 1_000), 1_000)).toEqual([4_000]);
    expect(timesMs(withSpeechStart(clock, 950), 950)).toEqual([3_950]);
    expect(withSpeechStart(clock, 1_001)).toBe(clock);
    expect(withSpeechStart(clockAfter([1_000, 1_000]), 900)).toEqual(clockAfter([1_000, 1_000]));
  });

  it('finds the position of each time, and within a gap that of the gap', () => {
    const clock = clockAfter([1_000, 1_000], [4_000, 1_000], [4_100, 1_100]);
    const positions = [900, 1_000, 2_500, 4_000, 4_050].map((ms) => audioPositionMs(clock, ms * 1000));
    expect(positions).toEqual([900, 1_000, 1_000, 1_000, 1_050]);
    expect(audioPositionMs(clock, -50_000)).toBe(-50);
  });

  it('knows when audio came whatever the gaps, to the error of jitter', () => {
    const stretches = fc.array(
      fc.record({ packets: fc.integer({ min: 1, max: 100 }), gapMs: fc.integer({ min: 1_100, max: 20_000 }) }),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(stretches, fc.integer({ min: 1, max: 7 }), (calls, every) => {
        let clock: AudioClock | null = null;
        let [nowMs, audioMs, knownMs] = [0, 0, 0];
        const trueMs: (readonly [positionMs: number, atMs: number])[] = [];
        const enter = () => {
          clock = withReceivedAudio(clock, (nowMs - audioMs) * 1000, knownMs);
          knownMs = audioMs;
        };
        for (const { packets, gapMs } of calls) {
          for (let packet = 1; packet <= packets; packet++) {
            nowMs += PACKET_MS;
            audioMs += PACKET_MS;
            trueMs.push([audioMs, nowMs]);
            if (packet % every === 0 || packet === packets) enter();
          }
          for (let passedMs = 300; passedMs < gapMs; passedMs += 300) {
            nowMs += 300;
            enter();
          }
          nowMs += gapMs % 300;
        }
        for (const [positionMs, atMs] of trueMs) {
          const known = clock === null ? 0 : audioTimeUs(clock, positionMs) / 1000;
          expect(Math.abs(known - atMs)).toBeLessThanOrEqual(JITTER_MS_MAX);
        }
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});
