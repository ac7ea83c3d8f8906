import dagre from '@dagrejs/dagre';
import type { AgentGraph } from '../document/agent-document.ts';

export const NODE_WIDTH_PX = 190;
export const NODE_HEIGHT_PX = 64;
const GAP_PX = 46;
/** Between states beside each other, so that the labels of the ways to them do not overlap. */
const LABEL_GAP_PX = 120;

export interface GraphPlace {
  readonly x: number;
  readonly y: number;
}

/**
 * The place of each state in the drawing: the one that a user has chosen, otherwise below the first state. Transitions to states that do
 * not exist are left out.
 */
export function graphLayout({ initial, states }: AgentGraph): ReadonlyMap<string, GraphPlace> {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'TB', nodesep: LABEL_GAP_PX, ranksep: GAP_PX * 1.5 });
  graph.setDefaultEdgeLabel(() => ({}));
  const names = new Set(states.map(({ name }) => name));
  const ordered = states.toSorted((one, other) => Number(other.name === initial) - Number(one.name === initial));
  for (const { name } of ordered) graph.setNode(name, { width: NODE_WIDTH_PX, height: NODE_HEIGHT_PX });
  for (const { name, transitions } of states) {
    for (const { to } of transitions) {
      // A back edge to the first state does not move that state down.
      if (names.has(to) && to !== name && to !== initial) graph.setEdge(name, to);
    }
  }
  dagre.layout(graph);
  return new Map(
    [...names].map((name) => {
      const given = states.find((state) => state.name === name)?.position;
      if (given !== undefined) return [name, given];
      const { x, y } = graph.node(name);
      return [name, { x: x - NODE_WIDTH_PX / 2, y: y - NODE_HEIGHT_PX / 2 }];
    }),
  );
}

/** Whether a state has come or gone, or one without a chosen place is elsewhere than before. */
export function isRearranged(
  { states }: AgentGraph,
  before: ReadonlyMap<string, GraphPlace>,
  after: ReadonlyMap<string, GraphPlace>,
): boolean {
  if (before.size !== after.size) return true;
  return states.some(({ name, position }) => {
    const [from, to] = [before.get(name), after.get(name)];
    return from === undefined || (position === undefined && (from.x !== to?.x || from.y !== to.y));
  });
}
