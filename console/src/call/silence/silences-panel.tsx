import { shortTime } from '../../format/time.ts';
import type { CallTimeline, Silence, SilenceCause } from '../../generated/client.ts';
import { useLanguage, useText } from '../../i18n/language.tsx';
import type { Player } from '../recording/player.ts';
import { SeekButton } from '../recording/seek-button.tsx';
import { foundCauseName } from './cause-name.ts';
import { evidenceText } from './evidence.ts';

interface SilencesProps {
  readonly timeline: CallTimeline;
  readonly player: Player | null;
}

/** «Why was it silent?»: each silence with its causes and their evidence, the longest first. Nothing if they are not known. */
export function Silences({ timeline, player }: SilencesProps) {
  const text = useText();
  const { silences } = timeline;
  if (silences === null) return null;
  return (
    <section className="card stack" aria-label={text.call.silences}>
      <h2>{text.call.silences}</h2>
      <p className="quiet small">{silences.length === 0 ? text.call.noSilence : text.evidence.explanation}</p>
      <ol className="silences">
        {longestFirst(silences).map((silence) => (
          <li key={silence.start_ms} className="silence">
            <SeekButton atMs={silence.start_ms} timeline={timeline} player={player} />
            <SilenceCauses silence={silence} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The list scrolls: what matters most is at its top. */
function longestFirst(silences: readonly Silence[]): readonly Silence[] {
  return silences.toSorted((one, other) => lengthMs(other) - lengthMs(one));
}

function lengthMs({ end_ms: endMs, start_ms: startMs }: Silence): number {
  return endMs - startMs;
}

function SilenceCauses({ silence }: { readonly silence: Silence }) {
  const { language } = useLanguage();
  const wholeMs = lengthMs(silence);
  return (
    <div>
      <p>
        <strong>{shortTime(wholeMs, language)}</strong>
      </p>
      {silence.causes.map((cause) => (
        <Cause key={cause.text} cause={cause} wholeMs={wholeMs} />
      ))}
    </div>
  );
}

function Cause({ cause, wholeMs }: { readonly cause: SilenceCause; readonly wholeMs: number }) {
  const { language, messages: text } = useLanguage();
  const evidence = evidenceText(cause, text.evidence, language);
  const [part, whole] = [shortTime(cause.ms, language), shortTime(wholeMs, language)];
  return (
    <p className="cause">
      {text.common.pair(text.evidence.partOf(part, whole), foundCauseName(cause, text))}
      {evidence !== '' && <span className="quiet"> ({evidence})</span>}
    </p>
  );
}
