import { type AudioClock, withInboxEntry } from '../core/audio-clock.ts';
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

/** The state of a call between two events. It is replaced, never mutated. */
export interface CallState {
  /** Null after an exception of a rule: the call is over. */
  readonly snapshot: MachineSnapshot | null;
  /** Null before the user's first packet. */
  readonly audioClock: AudioClock | null;
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
  return { snapshot: initialSnapshot(compiled.compiledMachine, context), audioClock: null, audioMs: 0 };
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

function withAudioClock(state: CallState, entry: InboxEntry): CallState {
  const isSpeaking = state.snapshot?.context.userTurn.speaking === true;
  const audioClock = withInboxEntry(state.audioClock, entry, state.audioMs, isSpeaking);
  return { ...state, audioClock, audioMs: entry.audioMs ?? state.audioMs };
}

function timeOf({ snapshot, audioClock, audioMs }: CallState, { atUs }: InboxEntry): EventTime {
  return { atUs, audioClock: audioClock ?? { epochUs: snapshot?.context.answeredUs ?? 0, gaps: [] }, audioMs };
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
