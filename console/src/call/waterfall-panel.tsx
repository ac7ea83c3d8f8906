import { shortTime } from '../format/time.ts';
import type { Call, Turn } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { Badge } from '../ui/badge.tsx';
import type { Player } from './recording/player.ts';
import { axisStartMs } from './time-axis.ts';
import { STAGES, slowestStage, waterfallOf } from './waterfall.ts';

interface WaterfallProps {
  readonly turns: readonly Turn[];
  readonly call: Call;
  readonly player: Player | null;
}

/** For each turn, which stage took how much of its response time. */
export function Waterfall({ turns, call, player }: WaterfallProps) {
  const text = useText();
  const rows = turns.map((turn) => ({ turn, bars: waterfallOf(turn) })).filter(({ bars }) => bars.length > 0);
  if (rows.length === 0) return null;
  const longestMs = Math.max(...rows.map(({ turn }) => turn.response_ms ?? 0));
  return (
    <section className="card stack" aria-label={text.call.latency}>
      <h2>{text.call.latency}</h2>
      <ul className="row legend">
        {STAGES.map((stage) => (
          <li key={stage} className="row">
            <span className={`swatch stage-${stage}`} aria-hidden="true" />
            {text.call.stages[stage]}
          </li>
        ))}
      </ul>
      <ol className="stack">
        {rows.map(({ turn, bars }) => {
          const slowest = slowestStage(bars);
          const label = bars
            .map(({ stage, lengthMs }) => `${text.call.stages[stage]} ${shortTime(lengthMs)}`)
            .join(', ');
          return (
            <li key={turn.turn} className="turn">
              <TurnNumber turn={turn} call={call} player={player} />
              <span className="bars" role="img" aria-label={label} title={label}>
                {bars.map(({ stage, fromMs, lengthMs }) => (
                  <span
                    key={stage}
                    className={`bar stage-${stage}`}
                    style={{ left: `${(100 * fromMs) / longestMs}%`, width: `${(100 * lengthMs) / longestMs}%` }}
                  />
                ))}
              </span>
              <span className="number">{shortTime(turn.response_ms ?? 0)}</span>
              <span className="turn-notes row">
                {slowest !== null && <span className="quiet">{text.call.stages[slowest]}</span>}
                {turn.interrupted && <Badge tone="warn">{text.call.interrupted}</Badge>}
                {turn.fillers_ms.length > 0 && <Badge>{text.call.filler}</Badge>}
                {turn.tools.map(({ tool_call_id, name }) => (
                  <Badge key={tool_call_id} tone="info">
                    {name}
                  </Badge>
                ))}
                {(turn.user?.reasons ?? []).slice(0, 1).map((reason) => (
                  <span key={reason} className="quiet">
                    {reason}
                  </span>
                ))}
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function TurnNumber({ turn, call, player }: { readonly turn: Turn } & Pick<WaterfallProps, 'call' | 'player'>) {
  const text = useText();
  if (player === null) return <span className="mono">{turn.turn}</span>;
  const atMs = Date.parse(turn.start_time) - axisStartMs(call);
  return (
    <button
      type="button"
      className="entry-time mono"
      aria-label={`${text.call.playTurn} ${turn.turn}`}
      onClick={() => player.playFrom(Math.max(0, atMs))}
    >
      {turn.turn}
    </button>
  );
}
