import type { CallTimeline } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { type AxisEvent, axisEvents } from './axis-events.ts';
import type { Player } from './recording/player.ts';
import { SeekButton } from './recording/seek-button.tsx';

/** The kinds of events that neither the transcript nor the states of the call list. */
const TONES = { failure: 'bad', transfer: 'info', filler: 'plain' } as const satisfies Partial<
  Record<AxisEvent['kind'], Tone>
>;
type ListedKind = keyof typeof TONES;

interface EventListProps {
  readonly timeline: CallTimeline;
  readonly player: Player | null;
}

/** Provider failures, transfers and fillers in words, each with its time. Nothing without one. */
export function EventList({ timeline, player }: EventListProps) {
  const { call: text } = useText();
  const events = axisEvents(timeline, '').flatMap((event) => {
    const { kind } = event;
    return isListed(kind) ? [{ ...event, kind }] : [];
  });
  if (events.length === 0) return null;
  return (
    <ol className="silences" aria-label={text.otherEvents}>
      {events.map(({ key, kind, label, startMs }) => (
        <li key={key} className="silence">
          <SeekButton atMs={startMs} timeline={timeline} player={player} />
          <p className="value">
            <Badge tone={TONES[kind]}>{text.eventKinds[kind]}</Badge> {label}
          </p>
        </li>
      ))}
    </ol>
  );
}

function isListed(kind: AxisEvent['kind']): kind is ListedKind {
  return Object.hasOwn(TONES, kind);
}
