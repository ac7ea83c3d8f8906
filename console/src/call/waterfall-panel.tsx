import { shortTime } from '../format/time.ts';
import type { Call, Turn } from '../generated/client.ts';
import { useLanguage, useText } from '../i18n/language.tsx';
import { Badge } from '../ui/badge.tsx';
import { PlayTime } from './play-time.tsx';
import type { Player } from './recording/player.ts';
import { reasonName } from './silence/reason-name.ts';
import { axisStartMs } from './time-axis.ts';
import { STAGES, unansweredBars, type WaterfallBar, waterfallOf } from './waterfall.ts';

interface WaterfallProps {
  readonly turns: readonly Turn[];
  readonly call: Call;
  readonly player: Player | null;
}

/** For each turn, which stage took how much of its response time. A user turn without a response is one, too. */
export function Waterfall({ turns, call, player }: WaterfallProps) {
  const text = useText();
  const rows = rowsOf(turns, call);
  if (rows.length === 0) return null;
  const longestMs = Math.max(1, ...rows.flatMap(({ bars }) => bars.map(({ fromMs, lengthMs }) => fromMs + lengthMs)));
  return (
    <section className="card stack" aria-label={text.call.latency}>
      <h2>{text.call.latency}</h2>
      <ul className="legend">
        {STAGES.map((stage) => (
          <li key={stage} className="row">
            <span className={`swatch stage-${stage}`} aria-hidden="true" />
            <span>
              {text.call.stages[stage]} <span className="quiet">{text.evidence.legend[stage]}</span>
            </span>
          </li>
        ))}
        {rows.some(({ turn }) => turn.fillers_ms.length > 0) && (
          <li className="row">
            <Badge>{text.call.filler}</Badge> <span className="quiet">{text.evidence.legend.filler}</span>
          </li>
        )}
      </ul>
      <ol className="stack">
        {rows.map((row) => (
          <TurnRow key={row.turn.turn} row={row} longestMs={longestMs} call={call} player={player} />
        ))}
      </ol>
    </section>
  );
}

interface Row {
  readonly turn: Turn;
  readonly bars: readonly WaterfallBar[];
  readonly isLast: boolean;
}

function rowsOf(turns: readonly Turn[], call: Call): readonly Row[] {
  const endMs = call.end_time === null ? null : Date.parse(call.end_time);
  return turns.flatMap((turn, index) => {
    const isLast = index === turns.length - 1;
    const bars = turn.response_ms === null ? unansweredBars(turn, isLast ? endMs : null) : waterfallOf(turn);
    // A running turn may still be answered.
    const isUnanswered = turn.user !== null && (!isLast || endMs !== null);
    const isShown = turn.response_ms === null ? isUnanswered : bars.length > 0;
    return isShown ? [{ turn, bars, isLast }] : [];
  });
}

interface TurnRowProps extends Pick<WaterfallProps, 'call' | 'player'> {
  readonly row: Row;
  readonly longestMs: number;
}

function TurnRow({ call, longestMs, player, row: { bars, isLast, turn } }: TurnRowProps) {
  const { language, messages: text } = useLanguage();
  const stages = bars
    .map(({ stage, lengthMs }) => `${text.call.stages[stage]} ${shortTime(lengthMs, language)}`)
    .join(', ');
  const { noResponse, noResponseUntilEnd } = text.evidence;
  return (
    <li className="turn">
      <PlayTime atMs={turnAtMs(turn, call)} player={player} />
      <span className="bars" aria-hidden="true">
        {bars.map(({ stage, fromMs, lengthMs }) => (
          <span
            key={stage}
            className={`bar stage-${stage}`}
            style={{ left: `${(100 * fromMs) / longestMs}%`, width: `${(100 * lengthMs) / longestMs}%` }}
          />
        ))}
      </span>
      <span className="number">{turn.response_ms === null ? '–' : shortTime(turn.response_ms, language)}</span>
      <span className="turn-notes row">
        {turn.response_ms === null && <Badge tone="bad">{isLast ? noResponseUntilEnd : noResponse}</Badge>}
        <span className="quiet">{stages}</span>
        {turn.interrupted && <Badge tone="warn">{text.call.interrupted}</Badge>}
        {turn.fillers_ms.length > 0 && <Badge>{text.call.filler}</Badge>}
        {turn.tools.map(({ tool_call_id, name }) => (
          <Badge key={tool_call_id} tone="info">
            {name}
          </Badge>
        ))}
        {(turn.user?.reasons ?? []).slice(0, 1).map((reason) => (
          <span key={reason} className="quiet">
            {reasonName(reason, text.evidence.reasons)}
          </span>
        ))}
      </span>
    </li>
  );
}

/** When the transcript has the words of the user turn; without words when it ended. ms since the answer. */
function turnAtMs({ start_time: endTime, user }: Turn, call: Call): number {
  const entry = call.transcript.find(({ sequence }) => sequence === user?.sequence);
  return Math.max(0, Date.parse(entry?.start_time ?? endTime) - axisStartMs(call));
}
