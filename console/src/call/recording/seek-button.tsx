import { clockTime } from '../../format/time.ts';
import type { CallTimeline } from '../../generated/client.ts';
import { useText } from '../../i18n/language.tsx';
import type { Player } from './player.ts';
import { seek } from './seek.ts';

interface SeekButtonProps {
  readonly atMs: number;
  readonly timeline: CallTimeline;
  readonly player: Player | null;
}

/** A time of the call. A click moves the playback position and the scroll position there. */
export function SeekButton({ atMs, timeline, player }: SeekButtonProps) {
  const text = useText();
  const time = clockTime(atMs);
  return (
    <button
      type="button"
      className="entry-time mono"
      aria-label={`${text.call.goTo} ${time}`}
      onClick={() => seek(atMs, player, timeline)}
    >
      {time}
    </button>
  );
}
