import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { clockTime } from '../format/time.ts';
import type { Call, CallTimeline, TranscriptEntry } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { axisEvents } from './axis-events.ts';
import { entryLabel } from './entry-label.ts';
import { EventList } from './event-list.tsx';
import { NetworkLanes } from './network-lanes.tsx';
import type { Player } from './recording/player.ts';
import { scrollWith } from './recording/scroll-with.ts';
import { seek } from './recording/seek.ts';
import { foundCauseName } from './silence/cause-name.ts';
import { speechParts } from './speech-parts.ts';
import { type AxisStretch, axisLengthMs, axisStartMs, drawnStretch, voicedStretch } from './time-axis.ts';

/** Pixels per second; 0: the whole call in the width of the page. */
const ZOOMS = [0, 8, 25, 60] as const;
/** The label of a tick behind this share of the axis stands before it, where it is not cut: in a narrow window one has a sixth of the axis. */
const TICK_SHARE_MAX = 0.82;
/** The labels of more ticks would overlap in a narrow window. */
const TICKS_MAX = 10;
const TICK_STEPS_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000];

interface TimelineProps {
  readonly call: Call;
  /** Null until it is read. */
  readonly timeline: CallTimeline | null;
  readonly player: Player | null;
  /** The waveform, drawn over the same axis. */
  readonly children: ReactNode;
}

/** The call on its time axis: the recording, who spoke, what happened, when it was silent, and the network. */
export function Timeline({ call, timeline, player, children }: TimelineProps) {
  const text = useText();
  const [zoom, setZoom] = useState<(typeof ZOOMS)[number]>(0);
  const lengthMs = axisLengthMs(call);
  const lanes = useMemo(() => lanesOf(call, timeline, player, text), [call, timeline, player, text]);
  return (
    <section className="card stack" aria-label={text.call.timeline}>
      <div className="row spread axis-head">
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
          {lanes.map(({ name, items }) => (
            <div key={name} className="lane">
              <span className="lane-name">{name}</span>
              {items.map((item, index) => (
                <LaneButton key={item.key} item={item} isFirst={index === 0} lengthMs={lengthMs} />
              ))}
            </div>
          ))}
          {timeline !== null && <NetworkLanes network={timeline.network} lengthMs={lengthMs} />}
          <Ticks lengthMs={lengthMs} />
          {player !== null && <Cursor player={player} lengthMs={lengthMs} />}
        </div>
      </div>
      {timeline !== null && <EventList timeline={timeline} player={player} />}
    </section>
  );
}

interface LaneItem {
  readonly key: string | number;
  readonly kind: string;
  readonly stretch: AxisStretch;
  readonly label: string;
  readonly onClick: () => void;
}

interface Lane {
  readonly name: string;
  readonly items: readonly LaneItem[];
}

/** The lanes of speech and of recording pauses come from the transcript, those of events and silences from the timeline. */
function lanesOf(
  call: Call,
  timeline: CallTimeline | null,
  player: Player | null,
  messages: ReturnType<typeof useText>,
): readonly Lane[] {
  const { call: text } = messages;
  const startMs = axisStartMs(call);
  const spoken = (...roles: readonly TranscriptEntry['role'][]) =>
    call.transcript
      .filter(({ role }) => roles.includes(role))
      .flatMap((entry) =>
        speechParts(entry, startMs).map(({ content, stretch }, index): LaneItem => {
          const onClick = () => {
            document.getElementById(`entry-${entry.sequence}`)?.scrollIntoView({ block: 'center' });
            player?.playFrom(stretch.startMs);
          };
          const label = entryLabel({ ...entry, content });
          return { key: `${entry.sequence} ${index}`, kind: entry.role, stretch, label, onClick };
        }),
      );
  const speech = [
    {
      name: text.user,
      items: spoken('user', 'dtmf').map((item) =>
        timeline === null ? item : { ...item, stretch: voicedStretch(item.stretch, timeline.user_voice) },
      ),
    },
    { name: text.agent, items: spoken('agent') },
  ];
  const pauses = spoken('recording_pause').map((item) => ({
    ...item,
    label: messages.common.pair(text.roles.recording_pause, item.label),
  }));
  const transcriptLanes = pauses.length === 0 ? speech : [...speech, { name: text.paused, items: pauses }];
  if (timeline === null) return transcriptLanes;
  const events = axisEvents(timeline, text.filler).map((event): LaneItem => {
    const { endMs, key, kind, label, startMs: atMs } = event;
    return { key, kind, stretch: drawnStretch(atMs, endMs), label, onClick: () => seek(atMs, player, timeline) };
  });
  const silences = (timeline.silences ?? []).map(({ causes, end_ms: endMs, start_ms: atMs }): LaneItem => {
    const label = causes.map((cause) => foundCauseName(cause, messages)).join(', ');
    const stretch = drawnStretch(atMs, endMs);
    return { key: atMs, kind: 'silence', stretch, label, onClick: () => seek(atMs, player, timeline) };
  });
  return [...transcriptLanes, { name: text.events, items: events }, { name: text.silence, items: silences }];
}

interface LaneButtonProps {
  readonly item: LaneItem;
  /** Only the first item of a lane can be reached with Tab. The lists below the axis have each item in words. */
  readonly isFirst: boolean;
  readonly lengthMs: number;
}

function LaneButton({ item, isFirst, lengthMs }: LaneButtonProps) {
  const { kind, stretch, onClick } = item;
  const label = `${clockTime(stretch.startMs)} ${item.label}`;
  return (
    <button
      type="button"
      className={`lane-entry lane-${kind}`}
      style={{
        left: `${(100 * stretch.startMs) / lengthMs}%`,
        width: `${(100 * (stretch.endMs - stretch.startMs)) / lengthMs}%`,
      }}
      title={label}
      aria-label={label}
      tabIndex={isFirst ? 0 : -1}
      onClick={onClick}
    />
  );
}

/** The scale of the time axis. */
function Ticks({ lengthMs }: { readonly lengthMs: number }) {
  const stepMs = TICK_STEPS_MS.find((step) => lengthMs / step <= TICKS_MAX) ?? lengthMs;
  const ticks = Array.from({ length: Math.floor(lengthMs / stepMs) + 1 }, (_, index) => index * stepMs);
  return (
    <div className="ticks" aria-hidden="true">
      {ticks.map((atMs) => (
        <span
          key={atMs}
          className={atMs > TICK_SHARE_MAX * lengthMs ? 'tick-at-end' : undefined}
          style={{ left: `${(100 * atMs) / lengthMs}%` }}
        >
          {clockTime(atMs)}
        </span>
      ))}
    </div>
  );
}

/**
 * The playback position. It is moved without React, because the player reports its time many times a second. The zoomed axis scrolls
 * with it.
 */
function Cursor({ player, lengthMs }: { readonly player: Player; readonly lengthMs: number }) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(
    () =>
      player.onTime((atMs) => {
        const cursor = line.current;
        if (cursor === null) return;
        const share = Math.min(1, atMs / lengthMs);
        cursor.style.left = `${100 * share}%`;
        const axis = cursor.closest<HTMLElement>('.axis');
        const view = cursor.closest<HTMLElement>('.axis-scroll');
        if (axis === null || view === null) return;
        const next = scrollWith(share * axis.offsetWidth, {
          scrolledPx: view.scrollLeft,
          visiblePx: view.clientWidth - axis.offsetLeft,
        });
        if (next !== null) view.scrollLeft = next;
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
