import { useId } from 'react';
import { useText } from '../../i18n/language.tsx';
import { Button } from '../../ui/button.tsx';
import type { AgentFinding } from '../check/agent-finding.ts';
import { Finding } from '../check/finding.tsx';
import { listAt, textAt, withValue } from '../document/document-edit.ts';
import type { EditProps } from './edit-props.ts';
import { NameField } from './name-field.tsx';
import { withoutState, withRenamedState } from './state-edit.ts';
import { ToolList } from './tool-list.tsx';
import { TransitionList } from './transition-list.tsx';

interface StateFormProps extends EditProps {
  /** Place of the state in the list of states. */
  readonly index: number;
  readonly findings: readonly AgentFinding[];
}

/** The fields of one state, with its transitions and tools. */
export function StateForm({ document, onEdit, index, findings }: StateFormProps) {
  const { edit } = useText().agents;
  const prompt = useId();
  const state = listAt(document, ['states'])[index];
  const name = textAt(state, ['name']);
  const isInitial = textAt(document, ['initial_state_name']) === name;
  const own = findings.filter(({ field }) => field.startsWith(`states[${index}]`));
  return (
    <fieldset className="plain stack state-form" aria-label={edit.stateOf(name)}>
      <div className="row spread">
        <h3 className="cut">{edit.stateOf(name)}</h3>
        <div className="row">
          <Button disabled={isInitial} onClick={() => onEdit(withValue(document, ['initial_state_name'], name))}>
            {isInitial ? edit.isFirst : edit.makeFirst}
          </Button>
          <Button tone="bad" onClick={() => onEdit(withoutState(document, index))}>
            {edit.removeState}
          </Button>
        </div>
      </div>
      {own.map((finding) => (
        <Finding key={`${finding.field} ${finding.message}`} finding={finding} />
      ))}
      <NameField
        label={edit.stateName}
        name={name}
        onName={(given) => onEdit(withRenamedState(document, index, given))}
      />
      <label htmlFor={prompt}>{edit.prompt}</label>
      <textarea
        id={prompt}
        rows={4}
        value={textAt(state, ['prompt'])}
        onChange={({ target }) => onEdit(withValue(document, ['states', index, 'prompt'], target.value))}
      />
      <TransitionList document={document} onEdit={onEdit} index={index} />
      <ToolList document={document} onEdit={onEdit} index={index} />
    </fieldset>
  );
}
