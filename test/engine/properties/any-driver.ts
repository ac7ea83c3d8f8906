import type { CallParameters } from '../../../engine/core/call-parameters.ts';
import type { CallCommand } from '../../../engine/core/command.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { TimerName } from '../../../engine/core/timer.ts';
import type { CompiledAgent } from '../../../engine/session/machine/compile-agent.ts';
import { type CallState, initialCallState, stepCall } from '../../../engine/session/step-call.ts';
import { MACHINE_TEXTS, TEXTS } from './any-agent.ts';
import { type EventType, eventOf, type Happening, type Known } from './any-event.ts';

/** Turns that together outgrow what the model is told, and the words of each. */
const LONG_TURNS = 5;
const LONG_TURN = 'so much to tell '.repeat(1_500);

/** Drives a call without a shell: it keeps what that would know, and lets whatever is told happen. */
export class Driver implements Known {
  state: CallState;
  readonly commands: CallCommand[] = [];
  readonly timers = new Set<TimerName>();
  readonly faults: unknown[] = [];
  readonly texts: readonly string[];
  readonly runs: string[] = [];
  readonly searches: string[] = [];
  readonly started = new Set<number>();
  generation = 0;
  segment = 0;
  utterance = 0;
  extraction = 0;
  summary = 0;
  atUs = 0;
  readonly #compiled: CompiledAgent;
  #seq = 0;

  constructor(compiled: CompiledAgent, parameters: CallParameters) {
    this.#compiled = compiled;
    this.state = initialCallState(compiled, parameters);
    this.texts = parameters.direction === 'outbound' ? [...TEXTS.slice(0, 4), ...MACHINE_TEXTS] : TEXTS;
  }

  post(event: CallEvent, waitMs = 0): void {
    this.atUs += waitMs * 1000;
    const { state, commands, error } = stepCall(this.#compiled, this.state, {
      seq: this.#seq++,
      atUs: this.atUs,
      event,
    });
    this.state = state;
    if (error !== undefined) this.faults.push(error);
    for (const command of commands) this.#take(command);
  }

  get transferring(): readonly string[] {
    const after = this.state.snapshot?.context.reply?.followUp;
    return after?.type === 'transfer' ? [after.toolCallId] : [];
  }

  happen({ what, pick, waitMs }: Happening): void {
    switch (what) {
      case 'a turn':
        this.#callerTurn(this.texts[pick] ?? 'fine');
        break;
      case 'an answer':
        this.#answer('model.sentence', pick);
        break;
      case 'a call':
        this.#answer('model.tool_call', pick);
        break;
      case 'all is heard':
        this.#hearOut();
        break;
      default:
        this.#tell(what, pick, waitMs);
    }
  }

  /** So much is said that the oldest turns leave the history, and a summary of them is asked for. */
  talkAtLength(): void {
    for (let turn = 0; turn < LONG_TURNS; turn++) {
      this.#hearOut();
      this.#callerTurn(LONG_TURN);
      this.#answer('model.sentence', 0);
    }
  }

  /** It is told later than it was: its times are those before the wait. */
  #tell(type: EventType, pick: number, waitMs = 0): void {
    const event = eventOf(type, this, pick);
    if (event !== null) this.post(event, waitMs);
  }

  #callerTurn(text: string): void {
    const startMs = this.atUs / 1000;
    const span = { startMs, endMs: startMs + 400 };
    this.post({ type: 'transcriber.final', text, words: [], ...span, endOfTurn: true }, 600);
    if (this.timers.delete('endpoint')) this.post({ type: 'timer', timer: 'endpoint' }, 2_000);
  }

  #answer(type: 'model.sentence' | 'model.tool_call', pick: number): void {
    for (const one of ['model.first_token', type, 'model.done'] as const) this.#tell(one, one === type ? pick : 0, 50);
  }

  /** What was ordered of the voice leaves on the wire, whole. */
  #hearOut(): void {
    const segments = this.state.snapshot?.context.reply?.segments ?? [];
    for (const { number: segment, ended } of segments) {
      if (ended) continue;
      const at = { utterance: this.utterance, segment };
      this.started.add(segment);
      this.post({ type: 'voice.started', segment }, 100);
      this.post({ type: 'media.segment_started', ...at, playedMs: 0 });
      this.post({ type: 'voice.done', segment, durationMs: 300 }, 50);
      this.post({ type: 'media.segment_ended', ...at, playedMs: 300 }, 300);
    }
  }

  #take(command: CallCommand): void {
    this.commands.push(command);
    if (command.type === 'model.request') this.generation = command.generation;
    if (command.type === 'voice.speak') [this.segment, this.utterance] = [command.segment, command.utterance];
    if (command.type === 'extraction.request') this.extraction = command.extraction;
    if (command.type === 'summary.request') this.summary = command.summary;
    if (command.type === 'tool.run') this.runs.push(command.toolCallId);
    if (command.type === 'knowledge.search') this.searches.push(command.toolCallId);
    if (command.type === 'timer.start') this.timers.add(command.timer);
    if (command.type === 'timer.stop') this.timers.delete(command.timer);
    if (command.type === 'call.close') this.timers.clear();
  }
}
