import type { AgentState } from '../agent/state-schema.ts';
import type { EndReason } from '../ports/end-reason.ts';
import { type AudioClock, audioPositionMs, audioTimeUs } from './audio-clock.ts';
import type { CallCommand } from './command.ts';
import type { CallContext } from './context.ts';
import type { CallEvent } from './event.ts';
import type { EngineNotice } from './notice.ts';
import type { FinalWords } from './state/interruption-slice.ts';
import type { Counters } from './state/lifecycle-slice.ts';
import type { TimerName } from './timer.ts';

/** Events that the regions of the machine raise for each other. They never enter the inbox. */
export type EngineEvent =
  /** The call was answered: the conversation begins. */
  | { readonly type: 'engine.answered' }
  /** The reply's next model request is due. */
  | { readonly type: 'engine.generate' }
  /** An extraction has ended while fillers wait for it. */
  | { readonly type: 'engine.extracted' }
  /** Words of the background were taken out of a final. */
  | { readonly type: 'engine.words_left_out'; readonly words: FinalWords }
  | { readonly type: 'engine.end'; readonly reason: EndReason }
  /** The user is bridged to another party: the agent's part of the call is over. */
  | { readonly type: 'engine.bridged' }
  /** The conversation is over: every region except the lifecycle enters its final state. */
  | { readonly type: 'engine.conversation_over' }
  /** A transition of the agent's graph, by its ordinal. */
  | { readonly type: `t${number}` };

/** The time of an event. */
export interface EventTime {
  readonly atUs: number;
  readonly audioClock: AudioClock;
  /** User audio received so far, in ms. */
  readonly audioMs: number;
}

export type MachineEvent = (CallEvent | EngineEvent) & { readonly time: EventTime };

/**
 * The execution of one rule: it reads the context, replaces parts of it, issues commands and raises events for the other
 * regions. A rule has no other effect: equal context, event and time give an equal result.
 */
export class RuleStep {
  context: CallContext;
  readonly event: CallEvent | EngineEvent;
  readonly time: EventTime;
  readonly commands: CallCommand[] = [];
  readonly raised: (EngineEvent | FinalWords)[] = [];

  constructor(context: CallContext, event: CallEvent | EngineEvent, time: EventTime) {
    this.context = context;
    this.event = event;
    this.time = time;
  }

  get nowUs(): number {
    return this.time.atUs;
  }

  get state(): AgentState {
    return stateOf(this.context);
  }

  /** Engine time of a position in the user's audio. */
  audioUs(audioMs: number): number {
    return Math.min(this.time.atUs, audioTimeUs(this.time.audioClock, audioMs));
  }

  /** Position in the user's audio at an engine time. */
  audioMsAt(us: number): number {
    return audioPositionMs(this.time.audioClock, us);
  }

  change(changed: Partial<CallContext>): void {
    this.context = { ...this.context, ...changed };
  }

  nextNumber(number: keyof Counters): number {
    const value = this.context.counters[number] + 1;
    this.change({ counters: { ...this.context.counters, [number]: value } });
    return value;
  }

  command(command: CallCommand): void {
    this.commands.push(command);
  }

  /** Words of the transcriber are raised again if they were left out before. */
  raise(event: EngineEvent | FinalWords): void {
    this.raised.push(event);
  }

  startTimer(timer: TimerName, delayMs: number): void {
    this.command({ type: 'timer.start', timer, delayMs });
  }

  stopTimer(timer: TimerName): void {
    this.command({ type: 'timer.stop', timer });
  }

  log(notice: EngineNotice): void {
    this.command({ type: 'log', notice });
  }
}

export type Rule = (step: RuleStep) => void;

export function stateOf(context: CallContext): AgentState {
  const state = context.agent.states[context.stateIndex];
  if (state === undefined) throw new Error(`the agent has no state ${context.stateIndex}`);
  return state;
}
