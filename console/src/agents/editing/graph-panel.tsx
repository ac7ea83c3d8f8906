import { useId, useState } from 'react';
import { useText } from '../../i18n/language.tsx';
import { Button } from '../../ui/button.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import type { AgentFinding } from '../check/agent-finding.ts';
import type { AgentGraph } from '../document/agent-document.ts';
import { listAt, textAt } from '../document/document-edit.ts';
import type { EditProps } from './edit-props.ts';
import { type Positions, withNewState, withNewTransition, withPositions } from './state-edit.ts';
import { StateForm } from './state-form.tsx';

const StateGraph = lazyPart(async () => (await import('../graph/state-graph.tsx')).StateGraph);

interface GraphPanelProps extends EditProps {
  readonly graph: AgentGraph | null;
  readonly findings: readonly AgentFinding[];
  /** States that a call on this page goes through. */
  readonly path: readonly string[];
  /** The key in use may change the agent. */
  readonly mayWrite: boolean;
  readonly isReadOnly: boolean;
  /** Name of the state that is edited; null: none was chosen. */
  readonly selected: string | null;
  readonly onSelect: (name: string) => void;
}

/** The states, drawn and edited by hand. */
export function GraphPanel({
  document,
  onEdit,
  graph,
  findings,
  path,
  mayWrite,
  isReadOnly,
  onSelect,
  ...rest
}: GraphPanelProps) {
  const text = useText();
  /** The transition that was just added, and its state. */
  const [added, setAdded] = useState<{ readonly name: string; readonly at: number } | null>(null);
  const names = listAt(document, ['states']).map((state) => textAt(state, ['name']));
  const selected = selectedName(document, names, rest.selected);
  const index = selected === null ? null : names.indexOf(selected);
  const select = (name: string) => {
    setAdded(null);
    onSelect(name);
  };
  const connect = (from: string, to: string) => {
    onEdit(withNewTransition(document, names.indexOf(from), to));
    onSelect(from);
    setAdded({ name: from, at: listAt(document, ['states', names.indexOf(from), 'transitions']).length });
  };
  const editing = {
    selected,
    onSelect: select,
    onConnect: connect,
    onMove: (places: Positions) => onEdit(withPositions(document, places)),
  };
  const addState = () => {
    const more = withNewState(document);
    onEdit(more);
    select(textAt(more, ['states', names.length, 'name']));
  };
  return (
    <>
      {graph === null ? (
        <p className="quiet">{text.agents.noGraph}</p>
      ) : (
        <StateGraph
          graph={graph}
          findings={findings}
          path={path}
          {...(!isReadOnly && document !== null && { editing })}
        />
      )}
      {mayWrite && document !== null && (
        <fieldset className="plain stack" disabled={isReadOnly}>
          <p className="quiet">{text.agents.edit.hint}</p>
          <StateChoice names={names} selected={selected} onSelect={select} onAdd={addState} />
          {index !== null && (
            <StateForm
              key={index}
              document={document}
              onEdit={onEdit}
              index={index}
              added={added !== null && added.name === selected ? added.at : null}
              onAdded={(at) => setAdded({ name: names[index] ?? '', at })}
              onSelect={onSelect}
            />
          )}
        </fieldset>
      )}
    </>
  );
}

/** Until a state is chosen, that in which calls begin. */
function selectedName(document: unknown, names: readonly string[], chosen: string | null): string | null {
  const initial = textAt(document, ['initial_state_name']);
  return [chosen, initial].find((name) => name !== null && names.includes(name)) ?? names[0] ?? null;
}

interface StateChoiceProps {
  readonly names: readonly string[];
  readonly selected: string | null;
  readonly onSelect: (name: string) => void;
  readonly onAdd: () => void;
}

function StateChoice({ names, selected, onSelect, onAdd }: StateChoiceProps) {
  const { edit } = useText().agents;
  const field = useId();
  return (
    <div className="row">
      <label htmlFor={field}>{edit.state}</label>
      <select id={field} className="short" value={selected ?? ''} onChange={({ target }) => onSelect(target.value)}>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <Button onClick={onAdd}>{edit.addState}</Button>
    </div>
  );
}
