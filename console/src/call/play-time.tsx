import { clockTime } from '../format/time.ts';
import { useText } from '../i18n/language.tsx';
import type { Player } from './recording/player.ts';

interface PlayTimeProps {
  /** ms since the answer. */
  readonly atMs: number;
  readonly player: Player | null;
}

/** A time of the call: a click plays from it. */
export function PlayTime({ atMs, player }: PlayTimeProps) {
  const text = useText();
  const time = clockTime(atMs);
  if (player === null) return <span className="entry-time mono">{time}</span>;
  return (
    <button
      type="button"
      className="entry-time mono"
      aria-label={`${text.call.playFrom} ${time}`}
      onClick={() => player.playFrom(atMs)}
    >
      {time}
    </button>
  );
}
