import type { Call, CallTimeline } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import type { Player } from './recording/player.ts';
import { SeekButton } from './recording/seek-button.tsx';
import { maskedValue } from './variable-value.ts';

interface VariablesProps {
  readonly call: Call;
  readonly timeline: CallTimeline;
  readonly player: Player | null;
}

/** The variables of a call as they changed. */
export function Variables({ call, timeline, player }: VariablesProps) {
  const text = useText();
  if (timeline.variables.length === 0) return null;
  const latest = new Map(timeline.variables.map((variable) => [variable.name, variable]));
  return (
    <section className="card stack" aria-label={text.call.variables}>
      <h2>{text.call.variables}</h2>
      <ol>
        {timeline.variables.map((variable) => (
          <li key={`${variable.start_ms} ${variable.name} ${JSON.stringify(variable.value)}`} className="silence">
            <SeekButton atMs={variable.start_ms} timeline={timeline} player={player} />
            <p className={latest.get(variable.name) === variable ? 'value' : 'value quiet'}>
              {variable.name} = <span className="mono">{maskedValue(variable.value, call)}</span>
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}
