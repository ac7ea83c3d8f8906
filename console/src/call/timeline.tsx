import { type ReactNode, useEffect, useRef, useState } from 'react';
import { clockTime } from '../format/time.ts';
import type { Call, TranscriptEntry } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { entryLabel } from './entry-label.ts';
import type { Player } from './recording/player.ts';
import { axisLengthMs, axisStartMs, stretchOf } from './time-axis.ts';

/** Pixels per second; 0: the whole call in the width of the page. */
const ZOOMS = [0, 8, 25, 60] as const;
/** About as many marks as fit beside each other. */
const MARKS_MAX = 10;
const MARK_STEPS_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000];

interface TimelineProps {
  readonly call: Call;
  readonly player: Player | null;
  /** The waveform, drawn over the same axis. */
  readonly children: ReactNode;
}

/** The call on its time axis: the recording, who spoke, and what happened. */
export function Timeline({ call, player, children }: TimelineProps) {
  const text = useText();
  const [zoom, setZoom] = useState<(typeof ZOOMS)[number]>(0);
  const lengthMs = axisLengthMs(call);
  const startMs = axisStartMs(call);
  const lane = (...roles: readonly TranscriptEntry['role'][]) =>
    call.transcript.filter(({ role }) => roles.includes(role));
  const lanes = [
    { name: text.call.user, entries: lane('user', 'dtmf') },
    { name: text.call.agent, entries: lane('agent') },
    { name: text.call.events, entries: lane('tool_call', 'state_transition') },
  ];
  return (
    <section className="card stack" aria-label={text.call.timeline}>
      <div className="row spread">
        <div className="row">
          <h2>{text.call.timeline}</h2>
          {player !== null && <PlayButton player={player} />}
        </div>
        <label className="row zoom">
          {text.call.zoom}
          <select
            value={zoom}
            onChange={({ target }) => setZoom(ZOOMS.find((one) => one === Number(target.value)) ?? 0)}
          >
            {ZOOMS.map((one) => (
              <option key={one} value={one}>
                {one === 0 ? text.call.wholeCall : `${one} px/s`}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div className="axis-scroll">
        <div className="axis" style={zoom === 0 ? {} : { width: (lengthMs / 1_000) * zoom }}>
          {children}
          {lanes.map(({ name, entries }) => (
            <div key={name} className="lane">
              <span className="lane-name">{name}</span>
              {entries.map((entry, index) => (
                <LaneEntry
                  key={entry.sequence}
                  entry={entry}
                  isFirst={index === 0}
                  startMs={startMs}
                  lengthMs={lengthMs}
                  player={player}
                />
              ))}
            </div>
          ))}
          <Marks lengthMs={lengthMs} />
          {player !== null && <Cursor player={player} lengthMs={lengthMs} />}
        </div>
      </div>
    </section>
  );
}

interface LaneEntryProps {
  readonly entry: TranscriptEntry;
  /** The keyboard reaches the first of a lane; the transcript has a button for each. */
  readonly isFirst: boolean;
  readonly startMs: number;
  readonly lengthMs: number;
  readonly player: Player | null;
}

function LaneEntry({ entry, isFirst, startMs, lengthMs, player }: LaneEntryProps) {
  const stretch = stretchOf(entry, startMs);
  const label = `${clockTime(stretch.startMs)} ${entryLabel(entry)}`;
  return (
    <button
      type="button"
      className={`lane-entry lane-${entry.role}`}
      style={{
        left: `${(100 * stretch.startMs) / lengthMs}%`,
        width: `${(100 * (stretch.endMs - stretch.startMs)) / lengthMs}%`,
      }}
      title={label}
      aria-label={label}
      tabIndex={isFirst ? 0 : -1}
      onClick={() => {
        document.getElementById(`entry-${entry.sequence}`)?.scrollIntoView({ block: 'center' });
        player?.playFrom(stretch.startMs);
      }}
    />
  );
}

function Marks({ lengthMs }: { readonly lengthMs: number }) {
  const stepMs = MARK_STEPS_MS.find((step) => lengthMs / step <= MARKS_MAX) ?? lengthMs;
  const marks = Array.from({ length: Math.floor(lengthMs / stepMs) + 1 }, (_, index) => index * stepMs);
  return (
    <div className="marks" aria-hidden="true">
      {marks.map((atMs) => (
        <span key={atMs} style={{ left: `${(100 * atMs) / lengthMs}%` }}>
          {clockTime(atMs)}
        </span>
      ))}
    </div>
  );
}

/** Moves without a render of the page: the player reports its time many times a second. */
function Cursor({ player, lengthMs }: { readonly player: Player; readonly lengthMs: number }) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(
    () =>
      player.onTime((atMs) => {
        if (line.current !== null) line.current.style.left = `${Math.min(100, (100 * atMs) / lengthMs)}%`;
      }),
    [player, lengthMs],
  );
  return <div ref={line} className="cursor" aria-hidden="true" />;
}

function PlayButton({ player }: { readonly player: Player }) {
  const text = useText();
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => player.onPlaying(setPlaying), [player]);
  return (
    <Button onClick={() => player.toggle()}>
      <span aria-hidden="true">{isPlaying ? '❚❚' : '▶'}</span> {isPlaying ? text.call.pause : text.call.play}
    </Button>
  );
}
