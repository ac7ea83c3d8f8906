import { useId } from 'react';
import { useText } from '../../i18n/language.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { listAt, textAt, withValue } from '../document/document-edit.ts';
import type { EditProps } from './edit-props.ts';
import { KnowledgeChoice } from './knowledge-choice.tsx';
import { NameField } from './name-field.tsx';
import { isTakenName, withoutState, withRenamedState } from './state-edit.ts';
import { ToolList } from './tool-list.tsx';
import { TransitionList } from './transition-list.tsx';

interface StateFormProps extends EditProps {
  /** Place of the state in the list of states. */
  readonly index: number;
  /** Place of the transition that was just added; null: none. */
  readonly added: number | null;
  readonly onAdded: (transition: number) => void;
  readonly onSelect: (name: string) => void;
}

/** The fields of one state, with its transitions and tools. */
export function StateForm({ document, onEdit, index, added, onAdded, onSelect }: StateFormProps) {
  const { edit, findings } = useText().agents;
  const prompt = useId();
  const state = listAt(document, ['states'])[index];
  const name = textAt(state, ['name']);
  const isInitial = textAt(document, ['initial_state_name']) === name;
  const fewer = withoutState(document, index);
  const faultOf = (given: string) => {
    if (given === '') return findings.empty;
    return isTakenName(document, index, given) ? findings.messages['another state has this name'] : null;
  };
  const rename = (given: string) => {
    const renamed = withRenamedState(document, index, given);
    if (renamed === document) return;
    onEdit(renamed);
    onSelect(textAt(renamed, ['states', index, 'name']));
  };
  return (
    <fieldset className="plain stack state-form" aria-label={edit.stateOf(name)}>
      <div className="row spread">
        <h3 className="cut">{edit.stateOf(name)}</h3>
        <div className="row">
          <Button disabled={isInitial} onClick={() => onEdit(withValue(document, ['initial_state_name'], name))}>
            {isInitial ? edit.isFirst : edit.makeFirst}
          </Button>
          <Confirm
            label={edit.removeState}
            question={edit.removeStateQuestion(name, isInitial ? textAt(fewer, ['initial_state_name']) : '')}
            isDisabled={false}
            onConfirm={() => onEdit(fewer)}
          />
        </div>
      </div>
      <NameField label={edit.stateName} name={name} faultOf={faultOf} onName={rename} />
      <label htmlFor={prompt}>{edit.prompt}</label>
      <textarea
        id={prompt}
        rows={4}
        value={textAt(state, ['prompt'])}
        onChange={({ target }) => onEdit(withValue(document, ['states', index, 'prompt'], target.value))}
      />
      <TransitionList document={document} onEdit={onEdit} index={index} added={added} onAdded={onAdded} />
      <ToolList document={document} onEdit={onEdit} index={index} />
      <KnowledgeChoice
        document={document}
        onEdit={onEdit}
        title={edit.stateKnowledge}
        path={['states', index, 'knowledge_base_ids']}
      />
    </fieldset>
  );
}
