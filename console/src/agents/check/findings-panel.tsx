import { useMemo } from 'react';
import { useText } from '../../i18n/language.tsx';
import { parsedJson } from '../document/agent-document.ts';
import { textAt } from '../document/document-edit.ts';
import { stateIndexOf } from '../document/field-path.ts';
import { type GeneralField, generalField } from '../document/general-field.ts';
import { jsonErrorPlace } from '../document/json-error-place.ts';
import type { AgentFinding } from './agent-finding.ts';
import { findingMessage } from './finding-message.ts';
import { findingPlace } from './finding-place.ts';

interface FindingsPanelProps {
  readonly findings: readonly AgentFinding[];
  readonly content: string;
  /** Called with the name of the state of a finding. */
  readonly onSelect: (name: string) => void;
  /** Called with the field of a finding about none of the states. */
  readonly onField: (field: GeneralField) => void;
}

/** All findings, in a place of their own: the page does not move when they come and go. */
export function FindingsPanel({ findings, content, onSelect, onField }: FindingsPanelProps) {
  const { findings: texts } = useText().agents;
  const syntax = useMemo(() => jsonErrorPlace(content), [content]);
  const document = useMemo(() => parsedJson(content), [content]);
  const shown = syntax === null ? findings : [];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1).
    <section className="findings" aria-label={texts.title} aria-live="polite" tabIndex={0}>
      {syntax !== null && <p className="finding finding-fault">{texts.syntax(syntax.line, syntax.column)}</p>}
      {syntax === null && shown.length === 0 && <p className="quiet">{texts.none}</p>}
      <ul>
        {shown.map((finding) => (
          <li key={`${finding.field} ${finding.message}`} className={`finding finding-${finding.severity}`}>
            <Finding finding={finding} document={document} onSelect={onSelect} onField={onField} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface FindingProps extends Pick<FindingsPanelProps, 'onSelect' | 'onField'> {
  readonly finding: AgentFinding;
  readonly document: unknown;
}

function Finding({ finding, document, onSelect, onField }: FindingProps) {
  const text = useText();
  const place = findingPlace(document, finding.field, text);
  const index = stateIndexOf(finding.field);
  const name = index === null ? '' : textAt(document, ['states', index, 'name']);
  const field = generalField(finding.field);
  const isPlace = name !== '' || field !== null;
  const show = () => (field === null ? onSelect(name) : onField(field));
  return (
    <>
      {isPlace ? (
        <button type="button" className="link" title={finding.field} onClick={show}>
          {place}
        </button>
      ) : (
        <strong title={finding.field}>{place}</strong>
      )}
      {place === '' ? '' : ': '}
      {findingMessage(finding, text)}
    </>
  );
}
