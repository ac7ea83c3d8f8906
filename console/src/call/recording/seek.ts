import type { CallTimeline } from '../../generated/client.ts';
import type { Player } from './player.ts';

/** Plays from a time, and shows what was said last before it. */
export function seek(atMs: number, player: Player | null, { speech }: Pick<CallTimeline, 'speech'>): void {
  const before = speech.findLast(({ start_ms }) => start_ms <= atMs);
  if (before !== undefined)
    document.getElementById(`entry-${before.sequence}`)?.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
  player?.playFrom(Math.max(0, atMs));
}
