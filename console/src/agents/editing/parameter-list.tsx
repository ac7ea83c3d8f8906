import { useText } from '../../i18n/language.tsx';
import { Button } from '../../ui/button.tsx';
import { type DocumentPath, listAt, textAt, valueAt, withValue } from '../document/document-edit.ts';
import type { EditProps } from './edit-props.ts';
import { PARAMETER_TYPES } from './new-tool.ts';
import { withNewParameter } from './state-edit.ts';

interface ParameterListProps extends EditProps {
  /** Place of the tool. */
  readonly path: DocumentPath;
}

/** The parameters of a request. Those whose values have a source of their own are shown; the document edits them. */
export function ParameterList({ document, onEdit, path }: ParameterListProps) {
  const { parameters: texts } = useText().agents.edit;
  // Elements have no identity but their place.
  const parameters = listAt(document, [...path, 'parameters']).map((parameter, at) => ({ parameter, at }));
  return (
    <fieldset className="plain parameters" aria-label={texts.title}>
      <p className="parameters-title">{texts.title}</p>
      {parameters.map(({ parameter, at }) => {
        const place = [...path, 'parameters', at];
        return (
          <div key={at} className="parameter-row">
            {valueAt(parameter, ['value']) === undefined ? (
              <ChosenParameter document={document} onEdit={onEdit} path={place} number={at + 1} />
            ) : (
              <SourcedParameter parameter={parameter} />
            )}
            <Button
              aria-label={`${texts.remove} ${textAt(parameter, ['name'])}`}
              onClick={() => onEdit(withValue(document, place, undefined))}
            >
              ✕
            </Button>
          </div>
        );
      })}
      <div className="row">
        <Button onClick={() => onEdit(withNewParameter(document, path))}>{texts.add}</Button>
      </div>
    </fieldset>
  );
}

/** A parameter whose value the model chooses. */
function ChosenParameter({ document, onEdit, path, number }: ParameterListProps & { readonly number: number }) {
  const { agents, common } = useText();
  const { parameters: texts } = agents.edit;
  const labelOf = (field: string) => common.pair(`${texts.one} ${number}`, field);
  const set = (field: string, value: string) => onEdit(withValue(document, [...path, field], value));
  return (
    <>
      <input
        aria-label={labelOf(texts.name)}
        placeholder={texts.name}
        value={textAt(document, [...path, 'name'])}
        onChange={({ target }) => set('name', target.value)}
      />
      <select
        aria-label={labelOf(texts.type)}
        value={textAt(document, [...path, 'type']) || PARAMETER_TYPES[0]}
        onChange={({ target }) => set('type', target.value)}
      >
        {PARAMETER_TYPES.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </select>
      <input
        aria-label={labelOf(texts.description)}
        placeholder={texts.description}
        value={textAt(document, [...path, 'description'])}
        onChange={({ target }) => set('description', target.value)}
      />
    </>
  );
}

function SourcedParameter({ parameter }: { readonly parameter: unknown }) {
  const { parameters: texts } = useText().agents.edit;
  const name = textAt(parameter, ['name']);
  return (
    <p className="quiet parameter-source">
      {textAt(parameter, ['value', 'source']) === 'variable'
        ? texts.fromVariable(name, textAt(parameter, ['value', 'variable']))
        : texts.fromModel(name, textAt(parameter, ['value', 'llm_parameter', 'name']))}
    </p>
  );
}
