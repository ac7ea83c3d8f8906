import { useId, useState } from 'react';
import { useText } from '../../i18n/language.tsx';
import { Button } from '../../ui/button.tsx';
import { listAt } from '../document/document-edit.ts';
import type { EditProps } from './edit-props.ts';
import { TOOL_TYPES, type ToolType } from './new-tool.ts';
import { withNewTool } from './state-edit.ts';
import { ToolForm } from './tool-form.tsx';

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
        <ToolForm key={at} document={document} onEdit={onEdit} path={['states', index, 'tools', at]} />
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
