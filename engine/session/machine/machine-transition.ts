import type { CallCommand } from '../../core/command.ts';
import type { CallContext } from '../../core/context.ts';
import type { MachineEvent, Rule } from '../../core/rule-step.ts';
import type { CompiledMachine, LeafState, LeafTransition } from './compiled-machine.ts';
import { runRule } from './regions/machine-setup.ts';

/** The machine of a call between two events. */
export interface MachineSnapshot {
  readonly context: CallContext;
  /** The active leaf of each region. */
  readonly leaves: readonly LeafState[];
  /**
   * The regions, those that entered their leaf last at the end: the order of their transitions without an event. xstate's order, on
   * which the commands on older tapes depend.
   */
  readonly entered: readonly number[];
}

export interface MachineStep {
  readonly snapshot: MachineSnapshot;
  readonly commands: readonly CallCommand[];
}

export function initialSnapshot(machine: CompiledMachine, context: CallContext): MachineSnapshot {
  return { context, leaves: machine, entered: machine.map(({ region }) => region) };
}

/** Whether a state with this path is active: `turn.replying`. */
export function isIn({ leaves }: MachineSnapshot, path: string): boolean {
  return leaves.some((leaf) => leaf.path === path || leaf.path.startsWith(`${path}.`));
}

/** Whether every region is in its final state. */
export function isOver({ leaves }: MachineSnapshot): boolean {
  return leaves.every(isFinal);
}

/**
 * Processes one event, as xstate's `transition` does (https://www.w3.org/TR/scxml/#AlgorithmforSCXMLInterpretation), over the tables of
 * `compileMachine`: its transitions, those without an event, then the events that rules have raised. Passes on the exceptions of the rules.
 */
export function machineTransition(snapshot: MachineSnapshot, event: MachineEvent): MachineStep {
  const step = new Macrostep(snapshot);
  step.run(event);
  return step;
}

class Macrostep implements MachineStep {
  snapshot: MachineSnapshot;
  readonly commands: CallCommand[] = [];
  readonly #raised: MachineEvent[] = [];

  constructor(snapshot: MachineSnapshot) {
    this.snapshot = snapshot;
  }

  run(first: MachineEvent): void {
    let event: MachineEvent | undefined = first;
    while (event !== undefined) {
      this.#take(this.#selected(event), event);
      let isChanged = true;
      while (isChanged && !isOver(this.snapshot)) {
        const eventless = this.#selectedWithoutEvent(event);
        if (eventless.length === 0) break;
        isChanged = this.#take(eventless, event);
      }
      event = isOver(this.snapshot) ? undefined : this.#raised.shift();
    }
  }

  #selected(event: MachineEvent): readonly LeafTransition[] {
    const { context, leaves } = this.snapshot;
    const selected: LeafTransition[] = [];
    for (const leaf of leaves) {
      const transition = firstEnabled(leaf.on.get(event.type), context, event);
      if (transition !== undefined) selected.push(transition);
    }
    return selected;
  }

  #selectedWithoutEvent(event: MachineEvent): readonly LeafTransition[] {
    const { context, entered, leaves } = this.snapshot;
    const selected: LeafTransition[] = [];
    for (const region of entered) {
      const transition = firstEnabled(leaves[region]?.always, context, event);
      if (transition !== undefined) selected.push(transition);
    }
    return selected;
  }

  /** Takes one transition of each region at most: all exits from the last region on, all actions, all entries. True if anything changed. */
  #take(selected: readonly LeafTransition[], event: MachineEvent): boolean {
    const before = this.snapshot;
    const moves = selected.length > 1 ? selected.toSorted((a, b) => a.region - b.region) : selected;
    let context = before.context;
    for (let i = moves.length - 1; i >= 0; i--) context = this.#apply(moves[i]?.exits, context, event);
    for (const { actions } of selected) context = this.#apply(actions, context, event);
    for (const { entries } of moves) context = this.#apply(entries, context, event);
    const isMoved = moves.some(({ region, target }) => target !== null && target !== before.leaves[region]);
    if (isMoved) this.snapshot = { context, ...movedLeaves(before, moves) };
    else if (context !== before.context) this.snapshot = { ...before, context };
    return this.snapshot !== before;
  }

  #apply(rules: readonly Rule[] | undefined, before: CallContext, event: MachineEvent): CallContext {
    let context = before;
    for (const rule of rules ?? []) {
      const step = runRule(rule, context, event);
      for (const command of step.commands) this.commands.push(command);
      for (const raised of step.raised) this.#raised.push({ ...raised, time: event.time });
      context = step.context;
    }
    return context;
  }
}

function firstEnabled(
  transitions: readonly LeafTransition[] | undefined,
  context: CallContext,
  event: MachineEvent,
): LeafTransition | undefined {
  if (transitions === undefined) return undefined;
  for (const transition of transitions) {
    const { guard } = transition;
    if (guard === undefined || guard(context, event)) return transition;
  }
  return undefined;
}

function isFinal(leaf: LeafState): boolean {
  return leaf.isFinal;
}

function movedLeaves({ entered, leaves }: MachineSnapshot, moves: readonly LeafTransition[]) {
  const moved = leaves.slice();
  const last: number[] = [];
  for (const { region, target } of moves) {
    if (target === null) continue;
    moved[region] = target;
    last.push(region);
  }
  return { leaves: moved, entered: [...entered.filter((region) => !last.includes(region)), ...last] };
}
