import { useText } from '../../i18n/language.tsx';
import { Badge } from '../../ui/badge.tsx';
import { changedWords, type TextPart } from './changed-words.ts';
import type { DocumentChange } from './document-changes.ts';

/** Each changed part of a document with what it was and is. */
export function ChangeList({ changes }: { readonly changes: readonly DocumentChange[] }) {
  const text = useText();
  if (changes.length === 0) return <p className="quiet">{text.agents.versions.same}</p>;
  return (
    <ul className="changes" aria-label={text.agents.versions.changes}>
      {changes.map((change) => (
        <li key={`${change.path} ${change.isOrder === true}`} className="stack">
          <p className="row">
            <span className="mono">{change.path}</span>
            <Kind change={change} />
          </p>
          <pre className="change">
            {partsOf(change).map((part) => (
              <Part key={part.place} part={part} />
            ))}
          </pre>
        </li>
      ))}
    </ul>
  );
}

function Kind({ change }: { readonly change: DocumentChange }) {
  const { versions } = useText().agents;
  if (change.isOrder === true) return <Badge tone="info">{versions.order}</Badge>;
  if (change.before === null) return <Badge tone="good">{versions.added}</Badge>;
  if (change.after === null) return <Badge tone="bad">{versions.removed}</Badge>;
  return null;
}

function Part({ part }: { readonly part: TextPart }) {
  if (part.type === 'added') return <ins>{part.text}</ins>;
  if (part.type === 'removed') return <del>{part.text}</del>;
  return part.text;
}

function partsOf({ before, after }: DocumentChange): readonly TextPart[] {
  if (before === null) return [{ type: 'added', text: after ?? '', place: 0 }];
  if (after === null) return [{ type: 'removed', text: before, place: 0 }];
  return changedWords(before, after);
}
