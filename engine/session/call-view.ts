import { stateOf } from '../core/rule-step.ts';
import type { TranscriptEntry } from '../ports/journal.ts';
import { declaredType, variableTypeOf } from '../variables/variables.ts';
import type { CallView } from './call-handle.ts';
import { isIn } from './machine/machine-transition.ts';
import { type CallState, hasEnded } from './process-inbox-entry.ts';

/** The state of the call for the API. After an exception of a rule it is based on the last snapshot. */
export function viewOf(
  state: CallState,
  lastSnapshot: NonNullable<CallState['snapshot']>,
  transcript: ReadonlyMap<number, TranscriptEntry>,
): CallView {
  const { context } = lastSnapshot;
  const internal = state.snapshot === null;
  return {
    ...activityOf(state, lastSnapshot),
    lifecycle: hasEnded(state) ? 'ended' : lifecycleOf(lastSnapshot),
    answeredUs: context.answeredUs,
    endReason: internal ? 'internal_error' : context.endReason,
    transcript: [...transcript.values()].toSorted((a, b) => a.startUs - b.startUs || a.sequence - b.sequence),
    variables: [...context.variables].map(([name, { value }]) => ({
      name,
      type: declaredType(context, name) ?? variableTypeOf(value),
      value,
    })),
  };
}

/** The current activity of the call. */
export function activityOf(
  state: CallState,
  lastSnapshot: NonNullable<CallState['snapshot']>,
): Pick<CallView, 'agentState' | 'state'> {
  return {
    agentState: hasEnded(state) ? 'over' : agentStateOf(lastSnapshot),
    state: stateOf(lastSnapshot.context).name,
  };
}

type Snapshot = NonNullable<CallState['snapshot']>;

const LIFECYCLES = ['offered', 'answering', 'talking', 'bridged'] as const;
const REPLYING = ['thinking', 'speaking', 'paused'] as const;
/** A withheld reply: the user may still go on. */
const WITHHELD = 'turn.replying.withheld';
const AGENT_STATES = ['initializing', 'listening', 'userSpeaking', 'machineSpeaking', 'transferring'] as const;

function lifecycleOf(snapshot: Snapshot): CallView['lifecycle'] {
  const open = LIFECYCLES.find((name) => isIn(snapshot, `lifecycle.open.${name}`));
  return open ?? (isIn(snapshot, 'lifecycle.ending') ? 'ending' : 'ended');
}

function agentStateOf(snapshot: Snapshot): CallView['agentState'] {
  const replying = REPLYING.find((name) => isIn(snapshot, `turn.replying.${name}`));
  if (isIn(snapshot, WITHHELD)) return 'userSpeaking';
  return replying ?? AGENT_STATES.find((name) => isIn(snapshot, `turn.${name}`)) ?? 'over';
}
