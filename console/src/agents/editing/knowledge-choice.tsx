import { Link } from '@tanstack/react-router';
import { useKnowledgePages } from '../../api/knowledge-list.ts';
import { useText } from '../../i18n/language.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { type DocumentPath, listAt, withValue } from '../document/document-edit.ts';
import type { EditProps } from './edit-props.ts';

interface KnowledgeChoiceProps extends EditProps {
  /** Place of the list of identifiers. */
  readonly path: DocumentPath;
  readonly title: string;
}

/** The knowledge bases that the model may search. One that was deleted stays in the list by its identifier until it is removed. */
export function KnowledgeChoice({ document, onEdit, path, title }: KnowledgeChoiceProps) {
  const text = useText();
  const query = useKnowledgePages();
  const bases = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const names = new Map(bases.map(({ id, name }) => [id, name]));
  const chosen = listAt(document, path).map(String);
  const choices = [...new Set([...names.keys(), ...chosen])];
  const choose = (id: string, isChosen: boolean) =>
    onEdit(withValue(document, path, isChosen ? [...chosen, id] : chosen.filter((one) => one !== id)));
  return (
    <fieldset className="field-group knowledge-choice">
      <legend>{title}</legend>
      {choices.map((id) => (
        <label key={id} className="row choice">
          <input type="checkbox" checked={chosen.includes(id)} onChange={({ target }) => choose(id, target.checked)} />
          {names.get(id) ?? id}
        </label>
      ))}
      {query.isSuccess && choices.length === 0 && (
        <p className="quiet">
          {text.knowledge.empty} <Link to="/knowledge">{text.knowledge.title}</Link>
        </p>
      )}
      <MoreButton query={query} />
    </fieldset>
  );
}
