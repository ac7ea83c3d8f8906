import { useId, useState } from 'react';
import { useText } from '../../i18n/language.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { listAt, textAt, withValue } from '../document/document-edit.ts';
import type { EditProps } from './edit-props.ts';
import { TOOL_TYPES, type ToolType, toolFields } from './new-tool.ts';
import { withNewTool } from './state-edit.ts';

interface ToolListProps extends EditProps {
  /** Place of the state. */
  readonly index: number;
}

/** The tools that the model may use in a state. */
export function ToolList({ document, onEdit, index }: ToolListProps) {
  const { edit } = useText().agents;
  const field = useId();
  const [type, setType] = useState<ToolType>('custom_function');
  // Elements have no identity but their place.
  const tools = listAt(document, ['states', index, 'tools']).map((_, at) => at);
  return (
    <fieldset className="plain stack" aria-label={edit.tools}>
      <h4>{edit.tools}</h4>
      {tools.map((at) => (
        <ToolForm key={at} document={document} onEdit={onEdit} index={index} at={at} />
      ))}
      <div className="row">
        <label className="visually-hidden" htmlFor={field}>
          {edit.toolType}
        </label>
        <select
          id={field}
          className="short"
          value={type}
          onChange={({ target }) => setType(TOOL_TYPES.find((one) => one === target.value) ?? 'custom_function')}
        >
          {TOOL_TYPES.map((one) => (
            <option key={one} value={one}>
              {edit.toolTypes[one]}
            </option>
          ))}
        </select>
        <Button onClick={() => onEdit(withNewTool(document, index, type))}>{edit.addTool}</Button>
      </div>
    </fieldset>
  );
}

function ToolForm({ document, onEdit, index, at }: ToolListProps & { readonly at: number }) {
  const { edit } = useText().agents;
  const path = ['states', index, 'tools', at] as const;
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
    </fieldset>
  );
}

/** An empty text means no filler. */
function keptText(field: string, text: string): string | undefined {
  return field === 'filler_sentence' && text === '' ? undefined : text;
}
