import fc from 'fast-check';
import { beginCall, type CallState, stepCall } from '../../engine/call/call-core.ts';
import type { CallFacts } from '../../engine/call/call-facts.ts';
import type { CallCommand } from '../../engine/call/command.ts';
import type { CompiledAgent } from '../../engine/call/compile-agent.ts';
import type { CallEvent } from '../../engine/call/event.ts';
import { CALLS, ERROR, MACHINE_TEXTS, TEXTS } from './any-agent.ts';

/** A happening with numbers that are made into an event that fits the call, or now and then does not. */
export const happening = fc.record({
  kind: fc.constantFrom(
    'speech',
    'stop',
    'interim',
    'final',
    'endOfTurn',
    'turn',
    'token',
    'sentence',
    'call',
    'done',
    'failed',
    'voiceStarted',
    'voiceDone',
    'voiceFailed',
    'segmentStarted',
    'segmentEnded',
    'cleared',
    'paused',
    'toolDone',
    'timer',
    'timer',
    'dtmf',
    'beep',
    'sit',
    'transcriberFailed',
    'transcriberReady',
    'held',
    'resumed',
    'transferFailed',
    'transferred',
    'extracted',
    'say',
    'terminate',
    'hangUp',
  ),
  pick: fc.nat(9),
  waitMs: fc.nat(3_000),
});
/** `eager_end` asks ahead: it is tried as often as all others. */
const PHASES = ['updated', 'eager_end', 'ended', 'eager_end', 'resumed', 'started'] as const;
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

/** The driver knows what the shell knows: what was asked and not yet answered. */
export class Driver {
  state: CallState;
  private readonly compiled: CompiledAgent;
  readonly commands: CallCommand[] = [];
  readonly timers = new Set<string>();
  faults: unknown[] = [];
  generation = 0;
  segment = 0;
  utterance = 0;
  extraction = 0;
  atUs = 0;
  private seq = 0;
  private readonly runs: string[] = [];
  /** What the voice has begun: no segment plays for any time before. */
  private readonly started = new Set<number>();
  private readonly texts: readonly string[];

  constructor(compiled: CompiledAgent, facts: CallFacts) {
    this.compiled = compiled;
    this.state = beginCall(compiled, facts);
    this.texts = facts.direction === 'outbound' ? [...TEXTS.slice(0, 4), ...MACHINE_TEXTS] : TEXTS;
  }

  post(event: CallEvent, waitMs = 0): void {
    this.atUs += waitMs * 1000;
    const { state, commands, fault } = stepCall(this.compiled, this.state, { seq: this.seq++, atUs: this.atUs, event });
    this.state = state;
    if (fault !== undefined) this.faults.push(fault);
    for (const command of commands) this.take(command);
  }

  get transferring(): readonly string[] {
    const after = this.state.snapshot?.context.reply?.after;
    return after?.type === 'transfer' ? [after.toolCallId] : [];
  }

  happen({ kind, pick, waitMs }: Happening): void {
    const event = this.eventOf(kind, pick);
    if (event !== null) this.post(event, waitMs);
  }

  private take(command: CallCommand): void {
    this.commands.push(command);
    if (command.type === 'model.request') this.generation = command.generation;
    if (command.type === 'voice.speak') [this.segment, this.utterance] = [command.segment, command.utterance];
    if (command.type === 'extraction.request') this.extraction = command.extraction;
    if (command.type === 'tool.run') this.runs.push(command.toolCallId);
    if (command.type === 'timer.start') this.timers.add(command.timer);
    if (command.type === 'timer.stop') this.timers.delete(command.timer);
    if (command.type === 'call.close') this.timers.clear();
  }

  private eventOf(kind: Happening['kind'], pick: number): CallEvent | null {
    const audioMs = this.atUs / 1000;
    const text = this.texts[pick] ?? 'fine';
    const generation = pick === 9 ? this.generation - 1 : this.generation;
    const segment = Math.max(1, this.segment - (pick % 3));
    switch (kind) {
      case 'speech':
        return { type: 'media.speech_started', audioMs };
      case 'stop':
        return { type: 'media.speech_stopped', audioMs };
      case 'interim':
        return { type: 'transcriber.interim', text, startMs: audioMs - 300, endMs: audioMs };
      case 'final':
      case 'endOfTurn':
        return {
          type: 'transcriber.final',
          text,
          words: [],
          startMs: audioMs - 300,
          endMs: audioMs,
          endOfTurn: kind === 'endOfTurn',
        };
      case 'turn': {
        const phase = PHASES[pick % PHASES.length] ?? 'ended';
        return { type: 'transcriber.turn', phase, text, startMs: audioMs - 300, endMs: audioMs };
      }
      case 'token':
        return { type: 'model.first_token', generation };
      case 'sentence':
        return { type: 'model.sentence', generation, text: `${text} sentence.` };
      case 'call':
        return {
          type: 'model.tool_call',
          generation,
          call: {
            id: `id${pick % 3}`,
            name: CALLS[pick] ?? '',
            arguments: pick === 8 ? '{"day' : '{"day":"x","digits":"1"}',
          },
        };
      case 'done':
        return { type: 'model.done', generation, finish: 'stop' };
      case 'failed':
        return { type: 'model.failed', generation, error: { ...ERROR, retryable: pick < 8 } };
      case 'voiceStarted':
        if (segment <= this.segment) this.started.add(segment);
        return { type: 'voice.started', segment };
      case 'voiceDone':
        return { type: 'voice.done', segment, durationMs: this.started.has(segment) ? pick * 300 : 0 };
      case 'voiceFailed':
        return pick < 6
          ? {
              type: 'voice.failed',
              segment,
              durationMs: this.started.has(segment) ? pick * 200 : 0,
              error: { ...ERROR, retryable: pick % 2 === 0 },
            }
          : null;
      case 'segmentStarted':
      case 'segmentEnded':
        return {
          type: kind === 'segmentStarted' ? 'media.segment_started' : 'media.segment_ended',
          utterance: this.utterance,
          segment,
          playedMs: pick * 200,
        };
      case 'cleared':
      case 'paused':
        return {
          type: kind === 'cleared' ? 'media.cleared' : 'media.paused',
          utterance: this.utterance,
          playedMs: pick * 200,
        };
      case 'toolDone': {
        const toolCallId = this.runs[pick % Math.max(1, this.runs.length)];
        return toolCallId === undefined
          ? null
          : { type: 'tool.result', toolCallId, result: { successful: true, content: 'ok', mapped: [] } };
      }
      case 'timer': {
        const timer = [...this.timers][pick % Math.max(1, this.timers.size)];
        if (timer === undefined) return null;
        this.timers.delete(timer);
        return { type: 'timer', timer };
      }
      case 'dtmf':
        return { type: 'media.dtmf', digit: pick === 0 ? '#' : String(pick), durationMs: 100 };
      case 'beep':
      case 'sit':
        return { type: 'media.tone', kind, frequencyHz: 1_000, startMs: audioMs - 700, endMs: audioMs - 200 };
      case 'transcriberFailed':
        return pick < 6 ? { type: 'transcriber.failed', error: { ...ERROR, retryable: pick > 0 } } : null;
      case 'transcriberReady':
        return { type: 'transcriber.ready' };
      case 'held':
        return { type: 'control.held' };
      case 'resumed':
        return { type: 'control.resumed' };
      case 'transferFailed':
        return { type: 'control.transfer_failed', reason: 'busy', refused: pick < 5 };
      case 'transferred':
        if (pick > 1) return null;
        return { type: 'control.transfer_succeeded', ...(pick === 1 && { bridged: true }) };
      case 'extracted':
        return { type: 'extraction.done', extraction: this.extraction, answer: { name: text, size: String(pick) } };
      case 'say':
        return { type: 'call.say', text: 'By the way.', interrupt: pick < 5 };
      case 'terminate':
        return pick === 0 ? { type: 'call.terminate', reason: 'terminated' } : null;
      case 'hangUp':
        return pick === 0 ? { type: 'control.ended', cause: 'remote_bye' } : null;
    }
  }
}
