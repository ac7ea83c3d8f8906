import { useText } from '../../i18n/language.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { type DocumentPath, listAt, textAt, withValue } from '../document/document-edit.ts';
import type { EditProps } from './edit-props.ts';
import { CONTENT_TYPES, METHODS, TOOL_TYPES, toolFields } from './new-tool.ts';
import { ParameterList } from './parameter-list.tsx';

interface ToolFormProps extends EditProps {
  /** Place of the tool. */
  readonly path: DocumentPath;
}

/** The fields that most tools set. The document has all of them. */
export function ToolForm({ document, onEdit, path }: ToolFormProps) {
  const { edit } = useText().agents;
  const name = textAt(document, [...path, 'name']);
  const type = textAt(document, [...path, 'type']);
  const known = TOOL_TYPES.find((one) => one === type);
  return (
    <fieldset className="plain tool-form" aria-label={name}>
      <div className="row spread">
        <Badge>{known === undefined ? type : edit.toolTypes[known]}</Badge>
        <Button aria-label={`${edit.removeTool} ${name}`} onClick={() => onEdit(withValue(document, path, undefined))}>
          ✕
        </Button>
      </div>
      {(['name', 'description', ...toolFields(type)] as const).map((one) => (
        <label key={one} className="tool-field">
          {edit.toolFields[one]}
          <input
            value={textAt(document, [...path, one])}
            onChange={({ target }) => onEdit(withValue(document, [...path, one], keptText(one, target.value)))}
          />
        </label>
      ))}
      {known === 'custom_function' && <RequestFields document={document} onEdit={onEdit} path={path} />}
    </fieldset>
  );
}

/** An empty text means no filler. */
function keptText(field: string, text: string): string | undefined {
  return field === 'filler_sentence' && text === '' ? undefined : text;
}

/** How a tool sends its HTTP request. Without a choice the service takes the first of each list. */
function RequestFields({ document, onEdit, path }: ToolFormProps) {
  const { edit } = useText().agents;
  const headers = listAt(document, [...path, 'headers']).length;
  return (
    <>
      <label className="tool-field">
        {edit.method}
        <select
          value={textAt(document, [...path, 'method']) || METHODS[0]}
          onChange={({ target }) => onEdit(withValue(document, [...path, 'method'], target.value))}
        >
          {METHODS.map((method) => (
            <option key={method}>{method}</option>
          ))}
        </select>
      </label>
      <label className="tool-field">
        {edit.contentType}
        <select
          value={textAt(document, [...path, 'content_type']) || CONTENT_TYPES[0]}
          onChange={({ target }) => onEdit(withValue(document, [...path, 'content_type'], target.value))}
        >
          {CONTENT_TYPES.map((one) => (
            <option key={one} value={one}>
              {edit.contentTypes[one]}
            </option>
          ))}
        </select>
      </label>
      <ParameterList document={document} onEdit={onEdit} path={path} />
      {headers > 0 && <p className="quiet">{edit.headers(headers)}</p>}
    </>
  );
}
