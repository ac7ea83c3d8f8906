import {
  Background,
  Controls,
  type Edge,
  type FitViewOptions,
  MarkerType,
  type Node,
  ReactFlow,
  ReactFlowProvider,
  useNodesState,
  useReactFlow,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useEffect, useMemo, useRef } from 'react';
import type { Messages } from '../../i18n/en.ts';
import { useText } from '../../i18n/language.tsx';
import type { AgentFinding } from '../check/agent-finding.ts';
import { findingMessage } from '../check/finding-message.ts';
import type { AgentGraph, GraphState } from '../document/agent-document.ts';
import { BackEdge } from './back-edge.tsx';
import { type GraphPlace, graphLayout, isRearranged, NODE_WIDTH_PX } from './graph-layout.ts';
import { overhangPx, passagesOf } from './passages.ts';
import { PassingEdge } from './passing-edge.tsx';

/** The user's changes of the drawing. */
export interface GraphEditing {
  readonly selected: string | null;
  readonly onSelect: (name: string) => void;
  readonly onConnect: (from: string, to: string) => void;
  /** Called with the places of all states after one was moved. */
  readonly onMove: (places: ReadonlyMap<string, GraphPlace>) => void;
}

interface StateGraphProps {
  readonly graph: AgentGraph;
  readonly findings: readonly AgentFinding[];
  /** The states that a call went through, in order. */
  readonly path?: readonly string[];
  /** Absent: the drawing is only looked at. */
  readonly editing?: GraphEditing;
}

const NO_PATH: readonly string[] = [];

const EDGE_TYPES = { back: BackEdge, passing: PassingEdge };
/** Characters of a condition that are drawn; the document has the rest. */
const CONDITION_LENGTH_MAX = 28;

/** A small agent is not enlarged. */
const FIT = { maxZoom: 1, padding: 0.2 };
const MARGIN_PX = 24;

/** The whole drawing: its states, and the labels that are beside them. */
function fitOf(graph: AgentGraph): FitViewOptions {
  const places = graphLayout(graph);
  const rightPx = overhangPx(places, passagesOf(places, drawnTransitions(graph)).values());
  if (rightPx === 0) return FIT;
  return {
    ...FIT,
    padding: { x: `${MARGIN_PX}px`, y: `${MARGIN_PX}px`, right: `${MARGIN_PX + Math.ceil(rightPx)}px` },
  };
}

/** The states and transitions of an agent, drawn. */
export function StateGraph(props: StateGraphProps) {
  return (
    <div className="graph">
      <ReactFlowProvider>
        <Drawing {...props} />
      </ReactFlowProvider>
    </div>
  );
}

/** Fits the drawing into the view again once states come, go or are laid out again, but not after one was moved by hand. */
function useFit(graph: AgentGraph): void {
  const { fitView } = useReactFlow();
  const fitted = useRef<ReadonlyMap<string, GraphPlace> | null>(null);
  useEffect(() => {
    const places = graphLayout(graph);
    const before = fitted.current;
    fitted.current = places;
    if (before !== null && isRearranged(graph, before, places)) void fitView(fitOf(graph));
  }, [graph, fitView]);
}

function Drawing({ graph, findings, path = NO_PATH, editing }: StateGraphProps) {
  const text = useText();
  const selected = editing?.selected ?? null;
  const drawn = useMemo(() => nodesOf(graph, findings, path, selected), [graph, findings, path, selected]);
  // The nodes follow the pointer while one is dragged, before the document changes.
  const [nodes, setNodes, onNodesChange] = useNodesState(drawn);
  useEffect(() => setNodes(drawn), [drawn, setNodes]);
  useFit(graph);
  const fit = useMemo(() => fitOf(graph), [graph]);
  const edges = useMemo(() => edgesOf(graph, path), [graph, path]);
  // Compared by identity.
  const controls = useMemo(() => controlNames(text.agents.controls), [text]);
  return (
    <ReactFlow
      aria-label={text.agents.graph}
      ariaLabelConfig={controls}
      nodes={nodes}
      edges={edges}
      edgeTypes={EDGE_TYPES}
      onNodesChange={onNodesChange}
      onNodeClick={(_, { id }) => editing?.onSelect(id)}
      onConnect={({ source, target }) => editing?.onConnect(source, target)}
      onNodeDragStop={(_, moved) =>
        editing?.onMove(new Map([...nodes, moved].map(({ id, position }) => [id, position])))
      }
      fitView
      fitViewOptions={fit}
      minZoom={0.2}
      // The wheel scrolls the page; with Ctrl, and by two fingers, it zooms the drawing.
      preventScrolling={false}
      nodesDraggable={editing !== undefined}
      nodesConnectable={editing !== undefined}
      deleteKeyCode={null}
      edgesFocusable={false}
      nodesFocusable={false}
    >
      <Background />
      <Controls showInteractive={false} />
    </ReactFlow>
  );
}

/** React Flow's names of its buttons are English. */
function controlNames({ all, fit, zoomIn, zoomOut }: Messages['agents']['controls']) {
  return {
    'controls.ariaLabel': all,
    'controls.zoomIn.ariaLabel': zoomIn,
    'controls.zoomOut.ariaLabel': zoomOut,
    'controls.fitView.ariaLabel': fit,
  };
}

function nodesOf(
  graph: AgentGraph,
  findings: readonly AgentFinding[],
  path: readonly string[],
  selected: string | null,
): Node[] {
  const places = graphLayout(graph);
  return graph.states.map((state, index) => {
    const own = findings.filter(({ field }) => field.startsWith(`states[${index}]`));
    const worst = own.some(({ severity }) => severity === 'fault') ? 'bad' : own.length > 0 ? 'warn' : null;
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
      className: classOf(worst, path.includes(state.name), state.name === selected),
    };
  });
}

function classOf(worst: 'bad' | 'warn' | null, isVisited: boolean, isSelected: boolean): string {
  const marks = [worst ?? false, isVisited && 'visited', isSelected && 'selected'].filter((mark) => mark !== false);
  return ['state-node', ...marks.map((mark) => `state-node-${mark}`)].join(' ');
}

interface NodeLabelProps {
  readonly state: GraphState;
  readonly isInitial: boolean;
  readonly findings: readonly AgentFinding[];
  /** Its places in the path of a call, from 1. */
  readonly visits: readonly number[];
}

function NodeLabel({ state, isInitial, findings, visits }: NodeLabelProps) {
  const text = useText();
  const [first] = findings;
  return (
    <div title={findings.map((finding) => findingMessage(finding, text)).join('\n')}>
      <p className="cut">
        {isInitial && <span aria-hidden="true">▶ </span>}
        <strong>{state.name}</strong>
        {visits.length > 0 && <span className="visits"> {visits.join(', ')}</span>}
      </p>
      <p className="cut quiet">{state.tools.join(', ')}</p>
      {first !== undefined && (
        <p className={`cut state-finding state-finding-${first.severity}`}>⚠ {findingMessage(first, text)}</p>
      )}
    </div>
  );
}

interface DrawnTransition {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

/** Transitions to states that exist. */
function drawnTransitions({ states }: AgentGraph): readonly DrawnTransition[] {
  const names = new Set(states.map(({ name }) => name));
  return states.flatMap(({ name, transitions }) =>
    transitions
      .filter(({ to }) => names.has(to))
      .map(({ condition, to }, index) => ({ id: `${name} ${index} ${to}`, from: name, to, label: labelOf(condition) })),
  );
}

function labelOf(condition: string): string {
  return condition.length > CONDITION_LENGTH_MAX ? `${condition.slice(0, CONDITION_LENGTH_MAX)}…` : condition;
}

function edgesOf(graph: AgentGraph, path: readonly string[]): Edge[] {
  const places = graphLayout(graph);
  const transitions = drawnTransitions(graph);
  const passages = passagesOf(places, transitions);
  const isUpward = (from: string, to: string) => (places.get(to)?.y ?? 0) < (places.get(from)?.y ?? 0);
  const isTaken = (from: string, to: string) => path.some((name, at) => name === from && path[at + 1] === to);
  const backEdgeCounts = new Map<string, number>();
  const backEdge = (to: string) => {
    const nth = backEdgeCounts.get(to) ?? 0;
    backEdgeCounts.set(to, nth + 1);
    return { type: 'back', data: { nth } };
  };
  return transitions.map((transition) => {
    const { id, from, to, label } = transition;
    const passage = passages.get(transition);
    return {
      id,
      source: from,
      target: to,
      ...(isUpward(from, to) && backEdge(to)),
      ...(passage !== undefined && { type: 'passing', data: passage }),
      animated: isTaken(from, to),
      markerEnd: { type: MarkerType.ArrowClosed },
      label,
    };
  });
}
