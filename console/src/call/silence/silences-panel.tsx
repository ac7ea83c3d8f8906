import { shortTime } from '../../format/time.ts';
import type { CallTimeline, Silence, SilenceCause } from '../../generated/client.ts';
import { useText } from '../../i18n/language.tsx';
import type { Player } from '../recording/player.ts';
import { SeekButton } from '../recording/seek-button.tsx';
import { causeName } from './cause-name.ts';
import { evidenceText } from './evidence.ts';

interface SilencesProps {
  readonly timeline: CallTimeline;
  readonly player: Player | null;
}

/** «Why was it silent?»: each silence with its causes and their evidence. Nothing if they are not known. */
export function Silences({ timeline, player }: SilencesProps) {
  const text = useText();
  const { silences } = timeline;
  if (silences === null) return null;
  return (
    <section className="card stack" aria-label={text.call.silences}>
      <h2>{text.call.silences}</h2>
      {silences.length === 0 && <p className="quiet">{text.call.noSilence}</p>}
      <ol className="silences">
        {silences.map((silence) => (
          <li key={silence.start_ms} className="silence">
            <SeekButton atMs={silence.start_ms} timeline={timeline} player={player} />
            <SilenceCauses silence={silence} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function SilenceCauses({ silence }: { readonly silence: Silence }) {
  return (
    <div title={silence.text}>
      <p>
        <strong>{shortTime(silence.end_ms - silence.start_ms)}</strong>
      </p>
      {silence.causes.map((cause) => (
        <Cause key={cause.text} cause={cause} isOnly={silence.causes.length === 1} />
      ))}
    </div>
  );
}

function Cause({ cause, isOnly }: { readonly cause: SilenceCause; readonly isOnly: boolean }) {
  const { causes } = useText().call;
  const evidence = evidenceText(cause);
  return (
    <p className="cause">
      {causeName(cause.type, causes)}
      {evidence !== '' && <span className="quiet"> · {evidence}</span>}
      {!isOnly && <span className="quiet"> ({Math.round(100 * cause.share)} %)</span>}
    </p>
  );
}
