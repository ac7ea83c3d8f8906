import type { TimelineDirection } from '../generated/client.ts';

/** A measured value of an interval; null: nothing was measured. Times in ms since the answer. */
export interface NetworkLevel {
  readonly startMs: number;
  readonly endMs: number;
  readonly level: number | null;
}

/** The share of packets that were lost, in percent; null if unknown. */
export function lossPercent({ lost, packets }: Pick<TimelineDirection, 'lost' | 'packets'>): number | null {
  return lost === null || packets + lost === 0 ? null : (100 * lost) / (packets + lost);
}

/** An SVG path with a level for each interval, and a gap where nothing was measured. `top` is at the upper edge. */
export function levelsPath(levels: readonly NetworkLevel[], top: number): string {
  return levels
    .flatMap(({ endMs, level, startMs }, index) => {
      if (level === null) return [];
      const before = levels[index - 1];
      const isJoined = before !== undefined && before.level !== null;
      const height = (top - level).toFixed(2);
      return [`${isJoined ? 'L' : 'M'}${Math.max(0, startMs)} ${height}`, `L${endMs} ${height}`];
    })
    .join('');
}
