import type { CallCommand } from '../../../engine/core/command.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { CallParameters } from '../../../engine/core/state/call-parameters.ts';
import type { TimerName } from '../../../engine/core/timer.ts';
import type { CompiledAgent } from '../../../engine/session/machine/compile-agent.ts';
import { type CallState, initialCallState, processInboxEntry } from '../../../engine/session/process-inbox-entry.ts';
import { MACHINE_TEXTS, TEXTS } from './property-agent.ts';
import { type EventType, generateEvent, type RandomAction, type RunnerState } from './random-event.ts';

/** Drives a call without the call runner: it keeps the runner's state and posts the chosen events. */
export class CallDriver implements RunnerState {
  state: CallState;
  readonly commands: CallCommand[] = [];
  readonly runningTimers = new Set<TimerName>();
  readonly errors: unknown[] = [];
  readonly userTexts: readonly string[];
  readonly toolRunIds: string[] = [];
  readonly searchIds: string[] = [];
  readonly startedSegments = new Set<number>();
  generation = 0;
  segment = 0;
  utterance = 0;
  extraction = 0;
  summary = 0;
  atUs = 0;
  #seq = 0;

  constructor(compiled: CompiledAgent, parameters: CallParameters) {
    this.state = initialCallState(compiled, parameters);
    this.userTexts = parameters.direction === 'outbound' ? [...TEXTS.slice(0, 4), ...MACHINE_TEXTS] : TEXTS;
  }

  post(event: CallEvent, waitMs = 0): void {
    this.atUs += waitMs * 1000;
    const { state, commands, error } = processInboxEntry(this.state, {
      seq: this.#seq++,
      atUs: this.atUs,
      event,
    });
    this.state = state;
    if (error !== undefined) this.errors.push(error);
    for (const command of commands) this.#track(command);
  }

  get pendingTransferIds(): readonly string[] {
    const followUp = this.state.snapshot?.context.reply?.followUp;
    return followUp?.type === 'transfer' ? [followUp.toolCallId] : [];
  }

  perform({ kind, choice, waitMs }: RandomAction): void {
    switch (kind) {
      case 'user turn':
        this.#userTurn(this.userTexts[choice] ?? 'fine');
        break;
      case 'model text':
        this.#respond('model.sentence', choice);
        break;
      case 'tool call':
        this.#respond('model.tool_call', choice);
        break;
      case 'playout':
        this.#playAllSegments();
        break;
      default:
        this.#postGenerated(kind, choice, waitMs);
    }
  }

  /** The event carries times from before the wait, as an event that arrives late does. */
  #postGenerated(type: EventType, choice: number, waitMs = 0): void {
    const event = generateEvent(type, this, choice);
    if (event !== null) this.post(event, waitMs);
  }

  #userTurn(text: string): void {
    const startMs = this.atUs / 1000;
    const span = { startMs, endMs: startMs + 400 };
    this.post({ type: 'transcriber.final', text, words: [], ...span }, 600);
    if (this.runningTimers.delete('endpoint')) this.post({ type: 'timer', timer: 'endpoint' }, 2_000);
  }

  #respond(type: 'model.sentence' | 'model.tool_call', choice: number): void {
    for (const eventType of ['model.first_token', type, 'model.done'] as const)
      this.#postGenerated(eventType, eventType === type ? choice : 0, 50);
  }

  /** The voice speaks all pending segments, and they are played whole. */
  #playAllSegments(): void {
    const segments = this.state.snapshot?.context.reply?.segments ?? [];
    for (const { number: segment, ended } of segments) {
      if (ended) continue;
      const at = { utterance: this.utterance, segment };
      this.startedSegments.add(segment);
      this.post({ type: 'voice.started', segment }, 100);
      this.post({ type: 'media.segment_started', ...at, playedMs: 0 });
      this.post({ type: 'voice.done', segment, durationMs: 300 }, 50);
      this.post({ type: 'media.segment_ended', ...at, playedMs: 300 }, 300);
    }
  }

  #track(command: CallCommand): void {
    this.commands.push(command);
    if (command.type === 'model.request') this.generation = command.generation;
    if (command.type === 'voice.speak') [this.segment, this.utterance] = [command.segment, command.utterance];
    if (command.type === 'extraction.request') this.extraction = command.extraction;
    if (command.type === 'summary.request') this.summary = command.summary;
    if (command.type === 'tool.run') this.toolRunIds.push(command.toolCallId);
    if (command.type === 'knowledge.search') this.searchIds.push(command.toolCallId);
    if (command.type === 'timer.start') this.runningTimers.add(command.timer);
    if (command.type === 'timer.stop') this.runningTimers.delete(command.timer);
    if (command.type === 'call.close') this.runningTimers.clear();
  }
}
