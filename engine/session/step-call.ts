import { initialTransition } from 'xstate';
import type { CallParameters } from '../core/call-parameters.ts';
import type { CallCommand } from '../core/command.ts';
import type { InboxEntry } from '../core/event.ts';
import type { EventTime } from '../core/rule-step.ts';
import { callMetrics } from '../metrics/conversation-metrics.ts';
import type { CompiledAgent } from './machine/compile-agent.ts';
import { initialContext } from './machine/initial-context.ts';
import type { MachineSnapshot } from './machine/machine-transition.ts';

/**
 * The audio clock is read again when the user's audio has fallen behind it by this much, in µs: packets were not sent
 * (silence suppression, a hold). Less is jitter.
 */
const AUDIO_GAP_US = 500_000;

/** A call between two of its events. It is replaced, never changed. */
export interface CallState {
  /** Null once a rule has thrown: the call is over, whatever the machine thinks. */
  readonly snapshot: MachineSnapshot | null;
  readonly audioEpochUs: number | null;
  readonly audioMs: number;
}

export interface StepResult {
  readonly state: CallState;
  readonly commands: readonly CallCommand[];
  /** What a rule threw, in this step. */
  readonly error?: unknown;
}

export function initialCallState(compiled: CompiledAgent, parameters: CallParameters): CallState {
  const [snapshot] = initialTransition(compiled.machine, initialContext(compiled.agent, parameters));
  return { snapshot, audioEpochUs: null, audioMs: 0 };
}

/**
 * One event of the inbox: the whole of what a call is. Pure: the same agent, parameters and entries give the same commands.
 *
 * It never throws. The machine runs here as a pure transition function and not as an actor, so what a guard, an assign
 * or an action throws arrives at this one place, instead of an actor's error observer (where it would become an uncaught
 * exception if nobody observed): that call ends, once, as `internal_error`.
 */
export function stepCall(compiled: CompiledAgent, state: CallState, entry: InboxEntry): StepResult {
  if (hasEnded(state)) return { state, commands: [] };
  const { snapshot } = state;
  if (snapshot === null) return { state, commands: [] };
  const clocked = withAudioClock(state, entry);
  const moment = momentOf(clocked, entry);
  try {
    const { snapshot: next, commands } = compiled.transition(snapshot, { ...entry.event, moment });
    // xstate reports what goes wrong inside a transition as a snapshot in error as well.
    if (next.status === 'error') throw next.error;
    return { state: { ...clocked, snapshot: next }, commands };
  } catch (error) {
    return { state: { ...clocked, snapshot: null }, commands: internalError(snapshot.context, moment), error };
  }
}

export function hasEnded({ snapshot }: CallState): boolean {
  return snapshot === null || snapshot.status !== 'active';
}

function withAudioClock(state: CallState, { atUs, audioMs }: InboxEntry): CallState {
  if (audioMs === undefined) return state;
  const epochUs = Math.round(atUs - audioMs * 1000);
  const known = state.audioEpochUs;
  // A packet can be late and never early: the least difference is the truest, until there is a gap.
  const audioEpochUs = known === null || epochUs < known || epochUs - known > AUDIO_GAP_US ? epochUs : known;
  return { ...state, audioEpochUs, audioMs };
}

function momentOf({ snapshot, audioEpochUs, audioMs }: CallState, { atUs }: InboxEntry): EventTime {
  return { atUs, audioEpochUs: audioEpochUs ?? snapshot?.context.answeredUs ?? 0, audioMs };
}

function internalError(
  context: ReturnType<typeof initialContext>,
  { atUs, audioMs }: EventTime,
): readonly CallCommand[] {
  const metrics = callMetrics(context, audioMs);
  return [
    { type: 'log', level: 'error', message: 'a rule threw; the call ends' },
    { type: 'call.hang_up' },
    { type: 'journal.write', entry: { type: 'ended', reason: 'internal_error', metrics, atUs } },
    { type: 'call.close' },
  ];
}
