import type { CallCommand } from '../core/command.ts';
import type { InboxEntry } from '../core/event.ts';
import type { EventTime } from '../core/rule-step.ts';
import type { CallParameters } from '../core/state/call-parameters.ts';
import { callMetrics } from '../metrics/conversation-metrics.ts';
import { lastTurn } from '../metrics/record-turn.ts';
import { withoutBackgroundWords } from '../turn-detection/background-speech.ts';
import type { CompiledAgent } from './machine/compile-agent.ts';
import { initialContext } from './machine/initial-context.ts';
import { initialSnapshot, isOver, type MachineSnapshot, machineTransition } from './machine/machine-transition.ts';

/**
 * The audio epoch is set again when the user's audio lags behind it by more than this, in µs: the peer did not send
 * packets (silence suppression, on hold). A smaller lag is jitter.
 */
const AUDIO_GAP_US = 500_000;

/** The state of a call between two events. It is replaced, never mutated. */
export interface CallState {
  /** Null after an exception of a rule: the call is over. */
  readonly snapshot: MachineSnapshot | null;
  readonly audioEpochUs: number | null;
  readonly audioMs: number;
}

export interface StepResult {
  readonly state: CallState;
  readonly commands: readonly CallCommand[];
  /** The exception of a rule in this step. */
  readonly error?: unknown;
}

export function initialCallState(compiled: CompiledAgent, parameters: CallParameters): CallState {
  const context = initialContext(compiled.agent, parameters);
  return { snapshot: initialSnapshot(compiled.compiledMachine, context), audioEpochUs: null, audioMs: 0 };
}

/**
 * Processes one inbox entry. Pure: equal agent, parameters and entries give equal commands.
 *
 * Never throws. The machine runs as a pure transition function and not as an actor, so every exception of a guard or an
 * action arrives here. It ends the call as `internal_error`, once.
 */
export function processInboxEntry(state: CallState, entry: InboxEntry): StepResult {
  if (hasEnded(state)) return { state, commands: [] };
  const { snapshot } = state;
  if (snapshot === null) return { state, commands: [] };
  const clocked = withAudioClock(state, entry);
  const time = timeOf(clocked, entry);
  try {
    let next = snapshot;
    const commands: CallCommand[] = [];
    for (const event of withoutBackgroundWords(snapshot.context, entry.event, time)) {
      const result = machineTransition(next, { ...event, time });
      next = result.snapshot;
      commands.push(...result.commands);
    }
    return { state: { ...clocked, snapshot: next }, commands };
  } catch (error) {
    return { state: { ...clocked, snapshot: null }, commands: internalError(snapshot.context, time), error };
  }
}

export function hasEnded({ snapshot }: CallState): boolean {
  return snapshot === null || isOver(snapshot);
}

function withAudioClock(state: CallState, { atUs, audioMs }: InboxEntry): CallState {
  if (audioMs === undefined) return state;
  const epochUs = Math.round(atUs - audioMs * 1000);
  const known = state.audioEpochUs;
  // Packets can be late but never early: the smallest difference is the most accurate one, until a gap.
  const audioEpochUs = known === null || epochUs < known || epochUs - known > AUDIO_GAP_US ? epochUs : known;
  return { ...state, audioEpochUs, audioMs };
}

function timeOf({ snapshot, audioEpochUs, audioMs }: CallState, { atUs }: InboxEntry): EventTime {
  return { atUs, audioEpochUs: audioEpochUs ?? snapshot?.context.answeredUs ?? 0, audioMs };
}

function internalError(
  context: ReturnType<typeof initialContext>,
  { atUs, audioMs }: EventTime,
): readonly CallCommand[] {
  const metrics = callMetrics(context, audioMs);
  const last = lastTurn(context.metrics);
  return [
    { type: 'call.hang_up' },
    ...(last === null ? [] : [{ type: 'journal.write', entry: last } as const]),
    { type: 'journal.write', entry: { type: 'ended', reason: 'internal_error', metrics, atUs } },
    { type: 'call.close' },
  ];
}
