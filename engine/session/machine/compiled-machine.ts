import type { StateNode, TransitionDefinition } from 'xstate';
import type { CallContext } from '../../core/context.ts';
import type { MachineEvent, Rule } from '../../core/rule-step.ts';
import type { CallMachine } from './call-machine.ts';
import { AGENT_PRESENT, type Predicate, predicateOf, ruleOf } from './regions/machine-setup.ts';

/** A state without substates. One of each region is active at any time. */
export interface LeafState {
  readonly region: number;
  /** From its region on: `turn.replying.thinking`. */
  readonly path: string;
  readonly isFinal: boolean;
  /** Transitions on an event, of the state before those of the states around it. The first whose guard holds is taken. */
  readonly on: ReadonlyMap<string, readonly LeafTransition[]>;
  /** Transitions without an event, in the same order. */
  readonly always: readonly LeafTransition[];
}

/** A transition from one leaf. */
export interface LeafTransition {
  readonly region: number;
  /** Undefined: it is always taken. */
  readonly guard: Predicate | undefined;
  readonly exits: readonly Rule[];
  readonly actions: readonly Rule[];
  readonly entries: readonly Rule[];
  /** Null: the leaf is neither left nor entered again. */
  readonly target: LeafState | null;
}

/** The leaves that are active first, in the order of the regions. */
export type CompiledMachine = readonly LeafState[];

/** The only leaf in which the guard `AGENT_PRESENT` is false. */
const AGENT_GONE = 'turn.over';

type Node = StateNode<CallContext, MachineEvent>;
type Definition = TransitionDefinition<CallContext, MachineEvent>;

/**
 * Resolves at compile time what xstate resolves in each step: which transitions an event may take in each leaf, which states each one
 * leaves and enters. This is possible because the regions are independent: only the root is parallel, no transition leads to another
 * region, and there is no history.
 *
 * @throws Error for a machine with another structure
 */
export function compileMachine({ root }: CallMachine): CompiledMachine {
  const regions = Object.values(root.states);
  if (root.type !== 'parallel' || root.transitions.size > 0)
    throw new Error('the root must be parallel, without transitions');
  return regions.map((region, index) => leafOf(new RegionCompiler(index).leaves(region), initialLeaf(region)));
}

class RegionCompiler {
  readonly #region: number;
  readonly #leaves = new Map<Node, LeafState>();

  constructor(region: number) {
    this.#region = region;
  }

  leaves(region: Node): ReadonlyMap<Node, LeafState> {
    const nodes = leavesBelow(region);
    const open = nodes.map((node) => {
      const on = new Map<string, readonly LeafTransition[]>();
      const always: LeafTransition[] = [];
      this.#leaves.set(node, {
        region: this.#region,
        path: node.path.join('.'),
        isFinal: node.type === 'final',
        on,
        always,
      });
      return { node, on, always };
    });
    for (const { node, on, always } of open) {
      const around = withAncestors(node);
      always.push(...around.flatMap(({ always: own = [] }) => this.#transitions(node, own)));
      for (const type of new Set(around.flatMap(({ transitions }) => [...transitions.keys()]))) {
        if (type.includes('*')) throw new Error(`${node.id}: event descriptor ${type} with a wildcard`);
        on.set(
          type,
          around.flatMap(({ transitions }) => this.#transitions(node, transitions.get(type) ?? [])),
        );
      }
    }
    return this.#leaves;
  }

  #transitions(leaf: Node, definitions: readonly Definition[]): readonly LeafTransition[] {
    return definitions.flatMap((definition) => {
      // The guard depends only on the leaf, so it is evaluated at compile time.
      if (definition.guard === AGENT_PRESENT && leaf.path.join('.') === AGENT_GONE) return [];
      return [this.#transition(leaf, definition)];
    });
  }

  #transition(leaf: Node, { source, target, actions, guard, reenter }: Definition): LeafTransition {
    const unchanged = {
      region: this.#region,
      guard: guard === undefined || guard === AGENT_PRESENT ? undefined : predicateOf(guard),
      exits: [],
      actions: actions.map(ruleOf),
      entries: [],
      target: null,
    };
    const [node, ...others] = target ?? [];
    if (node === undefined) return unchanged;
    if (others.length > 0) throw new Error(`${source.id}: a transition with several targets`);
    const domain = domainOf(source, node, reenter);
    const next = initialLeaf(node);
    return {
      ...unchanged,
      exits: below(domain, leaf).flatMap(({ exit }) => exit.map(ruleOf)),
      entries: below(domain, next)
        .toReversed()
        .flatMap(({ entry }) => entry.map(ruleOf)),
      target: leafOf(this.#leaves, next),
    };
  }
}

/** The state that stays active while a transition leaves and enters states below it (`getTransitionDomain` of xstate). */
function domainOf(source: Node, target: Node, reenter: boolean): Node {
  if (!reenter && withAncestors(target).includes(source)) return source;
  const around = ancestorsOf(source);
  const domain = ancestorsOf(target).find((ancestor) => around.includes(ancestor));
  if (domain?.parent === undefined) throw new Error(`${source.id}: a transition to another region, ${target.id}`);
  return domain;
}

/** The leaf and the states around it, below `domain`, from inside to outside. */
function below(domain: Node, leaf: Node): readonly Node[] {
  const around = withAncestors(leaf);
  return around.slice(0, around.indexOf(domain));
}

function withAncestors(node: Node): readonly Node[] {
  return [node, ...ancestorsOf(node)];
}

function ancestorsOf({ parent }: Node): readonly Node[] {
  return parent === undefined ? [] : [parent, ...ancestorsOf(parent)];
}

function leavesBelow(node: Node): readonly Node[] {
  const children = Object.values(node.states);
  if (node.type === 'parallel' || node.type === 'history')
    throw new Error(`${node.id}: a ${node.type} state in a region`);
  return children.length === 0 ? [node] : children.flatMap(leavesBelow);
}

function initialLeaf(node: Node): Node {
  if (node.type !== 'compound') return node;
  const [first] = node.initial.target;
  if (first === undefined) throw new Error(`${node.id}: no initial state`);
  return initialLeaf(first);
}

function leafOf(leaves: ReadonlyMap<Node, LeafState>, node: Node): LeafState {
  const leaf = leaves.get(node);
  if (leaf === undefined) throw new Error(`${node.id}: not a leaf of its region`);
  return leaf;
}
