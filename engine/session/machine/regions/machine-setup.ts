import { not, setup, stateIn } from 'xstate';
import type { CallCommand } from '../../../core/command.ts';
import type { CallContext } from '../../../core/context.ts';
import { type MachineEvent, type Rule, RuleStep } from '../../../core/rule-step.ts';
import type { TimerName } from '../../../core/timer.ts';
import { recordTurn } from '../../../metrics/record-turn.ts';

/** The types of the machine. The regions use rules directly: as actions with `action`, as guards with `when`. */
export const callSetup = setup({
  types: {} as { context: CallContext; input: CallContext; events: MachineEvent; meta: { readonly name: string } },
  guards: {
    /** False once the user is bridged: DTMF digits for the other party may be a card number, which the agent must not see. */
    isAgentPresent: not(stateIn({ turn: 'over' })),
  },
});

/** What xstate gives to `resolve`, as far as `action` uses it. */
export interface ResolvedActions {
  readonly actionExecutor: (action: CommandAction) => void;
}

interface CommandAction {
  readonly type: 'command';
  readonly params: CallCommand;
  readonly info: GuardArguments;
  readonly exec: undefined;
}

/**
 * A rule as an action of the machine. Pure, as the whole transition.
 *
 * xstate lets its own actions (`assign`, `raise`, `enqueueActions`) resolve themselves, and this one does what those three would do
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
    const step = new RuleStep(context, event, event.time);
    rule(step);
    recordTurn(context, step);
    const info = { context: step.context, event };
    for (const params of step.commands) actionExecutor({ type: 'command', params, info, exec: undefined });
    for (const raised of step.raised) internalQueue.push({ ...raised, time: event.time });
    // The same snapshot if nothing changed: xstate looks for eventless transitions only after a change.
    return [step.context === context ? snapshot : { ...snapshot, context: step.context }];
  };
  return Object.assign(
    callSetup.enqueueActions(() => {}),
    { type: 'rule', resolve },
  );
}

type Predicate = (context: CallContext, event: MachineEvent) => boolean;

export interface GuardArguments {
  readonly context: CallContext;
  readonly event: MachineEvent;
}

/** A guard that holds while the predicate does. */
export function when(holds: Predicate) {
  return ({ context, event }: GuardArguments) => holds(context, event);
}

/** A guard that holds while the predicate does not. */
export function unless(holds: Predicate) {
  return ({ context, event }: GuardArguments) => !holds(context, event);
}

/** A guard that holds for the event of one timer. */
export function onTimer(name: TimerName) {
  return ({ event }: GuardArguments) => event.type === 'timer' && event.timer === name;
}
