import { lazy, Suspense, useId, useState } from 'react';
import { useText } from '../../i18n/language.tsx';
import { Button } from '../../ui/button.tsx';
import type { AgentFinding } from '../check/agent-finding.ts';
import type { AgentGraph } from '../document/agent-document.ts';
import { listAt, textAt } from '../document/document-edit.ts';
import type { EditProps } from './edit-props.ts';
import { withNewState, withNewTransition, withPositions } from './state-edit.ts';
import { StateForm } from './state-form.tsx';

const StateGraph = lazy(async () => ({ default: (await import('../graph/state-graph.tsx')).StateGraph }));

interface GraphPanelProps extends EditProps {
  readonly graph: AgentGraph | null;
  readonly findings: readonly AgentFinding[];
  /** States that a call on this page goes through. */
  readonly path: readonly string[];
  readonly isReadOnly: boolean;
}

/** The states, drawn and edited by hand. */
export function GraphPanel({ document, onEdit, graph, findings, path, isReadOnly }: GraphPanelProps) {
  const text = useText();
  const field = useId();
  const [chosen, select] = useState<number | null>(null);
  const names = listAt(document, ['states']).map((state) => textAt(state, ['name']));
  // Until one is chosen, the state in which calls begin.
  const selected = chosen ?? names.indexOf(textAt(document, ['initial_state_name']));
  const index = selected >= 0 && selected < names.length ? selected : null;
  const editing = {
    selected: index === null ? null : (names[index] ?? null),
    onSelect: (name: string) => select(names.indexOf(name)),
    onConnect: (from: string, to: string) => onEdit(withNewTransition(document, names.indexOf(from), to)),
    onMove: (places: ReadonlyMap<string, { readonly x: number; readonly y: number }>) =>
      onEdit(withPositions(document, places)),
  };
  const addState = () => {
    onEdit(withNewState(document));
    select(names.length);
  };
  return (
    <>
      {graph === null ? (
        <p className="quiet">{text.agents.noGraph}</p>
      ) : (
        <Suspense fallback={<p className="quiet">{text.common.loading}</p>}>
          <StateGraph graph={graph} findings={findings} path={path} {...(!isReadOnly && { editing })} />
        </Suspense>
      )}
      {!isReadOnly && document !== null && (
        <>
          <p className="quiet">{text.agents.edit.hint}</p>
          <div className="row">
            <label htmlFor={field}>{text.agents.edit.state}</label>
            <select
              id={field}
              className="short"
              value={index ?? ''}
              onChange={({ target }) => select(Number(target.value))}
            >
              {names.map((name, at) => (
                <option key={name} value={at}>
                  {name}
                </option>
              ))}
            </select>
            <Button onClick={addState}>{text.agents.edit.addState}</Button>
          </div>
          {index !== null && (
            <StateForm key={index} document={document} onEdit={onEdit} index={index} findings={findings} />
          )}
        </>
      )}
    </>
  );
}
