import { not, setup, stateIn } from 'xstate';
import type { CallCommand } from '../../../core/command.ts';
import type { CallContext } from '../../../core/context.ts';
import { type MachineEvent, type Rule, RuleStep } from '../../../core/rule-step.ts';
import type { TimerName } from '../../../core/timer.ts';
import { recordTurn } from '../../../metrics/record-turn.ts';

/** A guard of the turn region: false once the user is bridged. DTMF digits for the other party may be a card number, which the agent must not see. */
export const AGENT_PRESENT = 'isAgentPresent';

/** The types of the machine. The regions use rules directly: as actions with `action`, as guards with `when`. */
export const callSetup = setup({
  types: {} as { context: CallContext; input: CallContext; events: MachineEvent; meta: { readonly name: string } },
  guards: { [AGENT_PRESENT]: not(stateIn({ turn: 'over' })) },
});

/** The arguments of `resolve` that `action` uses. */
export interface ResolvedActions {
  readonly actionExecutor: (action: CommandAction) => void;
}

interface CommandAction {
  readonly type: 'command';
  readonly params: CallCommand;
  readonly info: GuardArguments;
  readonly exec: undefined;
}

/** Runs one rule, and writes down what it means for the record of the turn. */
export function runRule(rule: Rule, context: CallContext, event: MachineEvent): RuleStep {
  const step = new RuleStep(context, event, event.time);
  rule(step);
  recordTurn(context, step);
  return step;
}

const rules = new WeakMap<object, Rule>();
const predicates = new WeakMap<object, Predicate>();

/**
 * A rule as an action of the machine. Pure, as the whole transition.
 *
 * `compileMachine` takes the rule itself (`ruleOf`). The rest lets xstate's tools run the machine, its graph functions for example. xstate lets its own actions (`assign`, `raise`, `enqueueActions`) resolve themselves, and this one does what those three would do
 * together: they copy the context and build the names of all active states again for each rule, a fifth of a step.
 * https://github.com/statelyai/xstate/blob/xstate%405.33.3/packages/core/src/stateUtils.ts (`resolveAndExecuteActionsWithContext`)
 */
export function action(rule: Rule) {
  const resolve = <S extends { readonly context: CallContext }>(
    { actionExecutor }: ResolvedActions,
    snapshot: S,
    { context, event }: GuardArguments,
    _params: unknown,
    _action: unknown,
    { internalQueue }: { readonly internalQueue: MachineEvent[] },
  ): readonly [S] => {
    const step = runRule(rule, context, event);
    const info = { context: step.context, event };
    for (const params of step.commands) actionExecutor({ type: 'command', params, info, exec: undefined });
    for (const raised of step.raised) internalQueue.push({ ...raised, time: event.time });
    // The same snapshot if nothing changed: xstate looks for eventless transitions only after a change.
    return [step.context === context ? snapshot : { ...snapshot, context: step.context }];
  };
  const made = Object.assign(
    callSetup.enqueueActions(() => {}),
    { type: 'rule', resolve },
  );
  rules.set(made, rule);
  return made;
}

/** @throws Error for an action that `action` has not made */
export function ruleOf(made: unknown): Rule {
  const rule = typeof made === 'function' ? rules.get(made) : undefined;
  if (rule === undefined) throw new Error('an action of the machine is not a rule');
  return rule;
}

export type Predicate = (context: CallContext, event: MachineEvent) => boolean;

export interface GuardArguments {
  readonly context: CallContext;
  readonly event: MachineEvent;
}

/** A guard that holds while the predicate does. */
export function when(holds: Predicate) {
  return guardOf(holds);
}

/** A guard that holds while the predicate does not. */
export function unless(holds: Predicate) {
  return guardOf((context, event) => !holds(context, event));
}

/** A guard that holds for the event of one timer. */
export function onTimer(name: TimerName) {
  return guardOf((_, event) => event.type === 'timer' && event.timer === name);
}

/** @throws Error for a guard of another kind */
export function predicateOf(guard: unknown): Predicate {
  const holds = typeof guard === 'function' ? predicates.get(guard) : undefined;
  if (holds === undefined) throw new Error('a guard of the machine is not a predicate');
  return holds;
}

function guardOf(holds: Predicate) {
  const guard = ({ context, event }: GuardArguments) => holds(context, event);
  predicates.set(guard, holds);
  return guard;
}
