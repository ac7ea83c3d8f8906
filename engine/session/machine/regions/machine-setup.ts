import { not, setup, stateIn } from 'xstate';
import type { CallCommand } from '../../../core/command.ts';
import type { CallContext } from '../../../core/context.ts';
import { type MachineEvent, type Rule, RuleStep } from '../../../core/rule-step.ts';
import type { TimerName } from '../../../core/timer.ts';
import { recordTurn } from '../../../metrics/record-turn.ts';

/** The types of the machine. The regions use rules directly: as actions with `action`, as guards with `when`. */
export const callSetup = setup({
  types: {} as { context: CallContext; input: CallContext; events: MachineEvent; meta: { readonly name: string } },
  actions: {
    /** Never executed: `machineTransition` collects the params. */
    command: (_, _command: CallCommand) => {},
  },
  guards: {
    /** False once the user is bridged: DTMF digits for the other party may be a card number, which the agent must not see. */
    isAgentPresent: not(stateIn({ turn: 'over' })),
  },
});

/** A rule as an action of the machine. Pure, as the whole transition. */
export function action(rule: Rule) {
  return callSetup.enqueueActions(({ context, event, enqueue }) => {
    const step = new RuleStep(context, event, event.time);
    rule(step);
    recordTurn(context, step);
    // Passed as a function: xstate copies an object key by key.
    if (step.context !== context) enqueue.assign(() => step.context);
    for (const command of step.commands) enqueue({ type: 'command', params: command });
    for (const raised of step.raised) enqueue.raise({ ...raised, time: event.time });
  });
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
