import { Background, Controls, type Edge, MarkerType, type Node, ReactFlow } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useMemo } from 'react';
import type { AgentWarning } from '../../generated/client.ts';
import { useText } from '../../i18n/language.tsx';
import type { AgentGraph, GraphState } from '../agent-document.ts';
import { graphLayout, NODE_WIDTH_PX } from './graph-layout.ts';

interface StateGraphProps {
  readonly graph: AgentGraph;
  readonly findings: readonly AgentWarning[];
  /** The states that a call went through, in order. */
  readonly path?: readonly string[];
}

const NO_PATH: readonly string[] = [];

/** Characters of a condition that are drawn; the document has the rest. */
const CONDITION_LENGTH_MAX = 28;

/** The states and transitions of an agent, drawn. */
export function StateGraph({ graph, findings, path = NO_PATH }: StateGraphProps) {
  const text = useText();
  const nodes = useMemo(() => nodesOf(graph, findings, path), [graph, findings, path]);
  const edges = useMemo(() => edgesOf(graph, path), [graph, path]);
  return (
    <div className="graph">
      <ReactFlow
        // A changed set of states is fitted into the view again.
        key={graph.states.map(({ name }) => name).join('\n')}
        aria-label={text.agents.graph}
        nodes={nodes}
        edges={edges}
        fitView
        fitViewOptions={{ maxZoom: 1 }}
        minZoom={0.2}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        nodesFocusable={false}
      >
        <Background />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

function nodesOf(graph: AgentGraph, findings: readonly AgentWarning[], path: readonly string[]): Node[] {
  const places = graphLayout(graph);
  return graph.states.map((state, index) => {
    const own = findings.filter(({ field }) => field.startsWith(`states[${index}]`));
    return {
      id: state.name,
      position: places.get(state.name) ?? { x: 0, y: 0 },
      data: {
        label: (
          <NodeLabel
            state={state}
            isInitial={state.name === graph.initial}
            findings={own}
            visits={path.flatMap((name, at) => (name === state.name ? [at + 1] : []))}
          />
        ),
      },
      style: { width: NODE_WIDTH_PX },
      className: classOf(own.length > 0, path.includes(state.name)),
    };
  });
}

function classOf(isBad: boolean, isVisited: boolean): string {
  return `state-node${isBad ? ' state-node-bad' : ''}${isVisited ? ' state-node-visited' : ''}`;
}

interface NodeLabelProps {
  readonly state: GraphState;
  readonly isInitial: boolean;
  readonly findings: readonly AgentWarning[];
  /** Its places in the path of a call, from 1. */
  readonly visits: readonly number[];
}

function NodeLabel({ state, isInitial, findings, visits }: NodeLabelProps) {
  return (
    <div title={findings.map(({ message }) => message).join('\n')}>
      <p className="cut">
        {isInitial && <span aria-hidden="true">▶ </span>}
        <strong>{state.name}</strong>
        {visits.length > 0 && <span className="visits"> {visits.join(', ')}</span>}
      </p>
      <p className="cut quiet">{state.tools.join(', ')}</p>
    </div>
  );
}

function edgesOf({ states }: AgentGraph, path: readonly string[]): Edge[] {
  const names = new Set(states.map(({ name }) => name));
  const isTaken = (from: string, to: string) => path.some((name, at) => name === from && path[at + 1] === to);
  return states.flatMap(({ name, transitions }) =>
    transitions
      .filter(({ to }) => names.has(to))
      .map(({ condition, to }, index) => ({
        id: `${name} ${index} ${to}`,
        source: name,
        target: to,
        animated: isTaken(name, to),
        markerEnd: { type: MarkerType.ArrowClosed },
        label: condition.length > CONDITION_LENGTH_MAX ? `${condition.slice(0, CONDITION_LENGTH_MAX)}…` : condition,
      })),
  );
}
