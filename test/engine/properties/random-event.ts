import fc from 'fast-check';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { TimerName } from '../../../engine/core/timer.ts';
import { SPEECH_LASTED_MS } from '../../../engine/ports/media.ts';
import { PROVIDER_ERROR, TOOL_NAMES } from './property-agent.ts';

/** The part of the call runner's state that determines which events can arrive. Generated events fit it, or nearly fit it. */
export interface RunnerState {
  readonly atUs: number;
  readonly userTexts: readonly string[];
  /** The numbers of the latest requests. */
  readonly generation: number;
  readonly segment: number;
  readonly utterance: number;
  readonly extraction: number;
  readonly summary: number;
  /** The ids of all started tool calls and knowledge searches. */
  readonly toolRunIds: readonly string[];
  readonly searchIds: readonly string[];
  readonly runningTimers: Set<TimerName>;
  /** Segments whose audio the voice has begun. No other segment has a duration. */
  readonly startedSegments: Set<number>;
}

export type EventType = CallEvent['type'];

/** Generates an event of its type that fits the call, or sometimes does not; null if no such event can arrive. */
interface EventGenerator<T extends EventType> {
  readonly weight: number;
  readonly generate: (runner: RunnerState, choice: number) => Extract<CallEvent, { readonly type: T }> | null;
}

/** The latest number, or sometimes the one before. */
const latestOrPrevious = (number: number, choice: number) => (choice === 9 ? number - 1 : number);
const textOf = ({ userTexts }: RunnerState, choice: number) => userTexts[choice] ?? 'fine';
const segmentOf = ({ segment }: RunnerState, choice: number) => Math.max(1, segment - (choice % 3));
const nowMs = ({ atUs }: RunnerState) => atUs / 1000;
const spanOf = (runner: RunnerState) => ({ startMs: nowMs(runner) - 300, endMs: nowMs(runner) });
const error = (retryable: boolean) => ({ ...PROVIDER_ERROR, retryable });
/** `eager_end` starts an eager generation, so it is listed twice. */
const PHASES = ['updated', 'eager_end', 'ended', 'eager_end', 'resumed', 'started'] as const;
/** Longer than the part of a tool result that the model gets. */
const LONG_TEXT = 'many words '.repeat(1_000);

/** Complete: the compiler reports an event type without a generator. */
const GENERATORS: { readonly [T in EventType]: EventGenerator<T> } = {
  'call.offered': { weight: 1, generate: (_, choice) => (choice === 0 ? { type: 'call.offered' } : null) },
  'call.terminate': {
    weight: 1,
    generate: (_, choice) => (choice === 0 ? { type: 'call.terminate', reason: 'terminated' } : null),
  },
  'call.say': {
    weight: 2,
    generate: (_, choice) => ({ type: 'call.say', text: 'By the way.', interrupt: choice < 5 }),
  },
  'call.transfer': {
    weight: 1,
    generate: (_, choice) => ({
      type: 'call.transfer',
      request: {
        destination: '+4930111111',
        mode: choice < 5 ? 'refer' : 'bridge',
        headers: {},
        ringTimeoutMs: 30_000,
      },
      ...(choice % 2 === 0 && { announcement: 'A colleague takes over.' }),
    }),
  },
  'call.context': {
    weight: 1,
    generate: (runner, choice) => ({ type: 'call.context', content: textOf(runner, choice) }),
  },
  'call.pause_recording': { weight: 1, generate: () => ({ type: 'call.pause_recording' }) },
  'call.resume_recording': { weight: 1, generate: () => ({ type: 'call.resume_recording' }) },
  'control.ringing': { weight: 1, generate: () => ({ type: 'control.ringing' }) },
  'control.accepted': { weight: 1, generate: () => ({ type: 'control.accepted' }) },
  'control.answered': { weight: 1, generate: () => ({ type: 'control.answered' }) },
  'control.on_hold': { weight: 2, generate: () => ({ type: 'control.on_hold' }) },
  'control.off_hold': { weight: 2, generate: () => ({ type: 'control.off_hold' }) },
  'control.transfer_succeeded': {
    weight: 2,
    generate: (_, choice) =>
      choice > 1 ? null : { type: 'control.transfer_succeeded', ...(choice === 1 && { bridged: true }) },
  },
  'control.transfer_failed': {
    weight: 2,
    generate: (_, choice) => ({ type: 'control.transfer_failed', reason: 'busy', refused: choice < 5 }),
  },
  'control.ended': {
    weight: 1,
    generate: (_, choice) => (choice === 0 ? { type: 'control.ended', cause: 'remote_bye' } : null),
  },
  'media.speech_started': {
    weight: 2,
    generate: (runner) => ({ type: 'media.speech_started', audioMs: nowMs(runner) }),
  },
  'media.speech_stopped': {
    weight: 2,
    generate: (runner) => ({ type: 'media.speech_stopped', audioMs: nowMs(runner) }),
  },
  'media.speech_lasted': {
    weight: 2,
    generate: (runner, choice) => ({
      type: 'media.speech_lasted',
      audioMs: nowMs(runner),
      lastedMs: SPEECH_LASTED_MS[choice % SPEECH_LASTED_MS.length] ?? 200,
    }),
  },
  'media.resumed': {
    weight: 1,
    generate: ({ utterance }, choice) => ({ type: 'media.resumed', utterance, replayedMs: choice * 40 }),
  },
  'media.echo_learnt': {
    weight: 1,
    generate: (_, choice) => ({ type: 'media.echo_learnt', delayMs: choice % 2 === 0 ? null : choice * 20 }),
  },
  'media.background_speech_started': {
    weight: 1,
    generate: (runner) => ({ type: 'media.background_speech_started', audioMs: nowMs(runner) }),
  },
  'media.background_speech_stopped': {
    weight: 1,
    generate: (runner, choice) => ({ type: 'media.background_speech_stopped', audioMs: nowMs(runner) - choice * 20 }),
  },
  'media.segment_started': {
    weight: 2,
    generate: (runner, choice) => ({ type: 'media.segment_started', ...playedOf(runner, choice) }),
  },
  'media.segment_ended': {
    weight: 2,
    generate: (runner, choice) => ({ type: 'media.segment_ended', ...playedOf(runner, choice) }),
  },
  'media.cleared': {
    weight: 2,
    generate: ({ utterance }, choice) => ({ type: 'media.cleared', utterance, playedMs: choice * 200 }),
  },
  'media.paused': {
    weight: 2,
    generate: ({ utterance }, choice) => ({ type: 'media.paused', utterance, playedMs: choice * 200 }),
  },
  'media.dtmf': {
    weight: 2,
    generate: (_, choice) => ({ type: 'media.dtmf', digit: choice === 0 ? '#' : String(choice), durationMs: 100 }),
  },
  'media.typed_text': { weight: 2, generate: (_, choice) => ({ type: 'media.typed_text', text: `Text ${choice}.` }) },
  'media.tone': {
    weight: 3,
    generate: (runner, choice) => {
      const span = { startMs: nowMs(runner) - 700, endMs: nowMs(runner) - 200 };
      return { type: 'media.tone', kind: choice < 5 ? 'beep' : 'sit', frequencyHz: 1_000, ...span };
    },
  },
  'media.suspended': { weight: 1, generate: () => ({ type: 'media.suspended' }) },
  'media.restored': { weight: 2, generate: () => ({ type: 'media.restored' }) },
  'media.timeout': { weight: 1, generate: (_, choice) => (choice === 0 ? { type: 'media.timeout' } : null) },
  'media.failed': {
    weight: 1,
    generate: (_, choice) => (choice === 0 ? { type: 'media.failed', message: 'no' } : null),
  },
  'transcriber.ready': { weight: 2, generate: () => ({ type: 'transcriber.ready' }) },
  'transcriber.interim': {
    weight: 2,
    generate: (runner, choice) => ({ type: 'transcriber.interim', text: textOf(runner, choice), ...spanOf(runner) }),
  },
  'transcriber.final': {
    weight: 4,
    generate: (runner, choice) => {
      const text = textOf(runner, choice);
      return { type: 'transcriber.final', text, words: [], ...spanOf(runner) };
    },
  },
  'transcriber.utterance_end': {
    weight: 2,
    generate: (runner, choice) => ({ type: 'transcriber.utterance_end', lastWordEndMs: nowMs(runner) - choice * 100 }),
  },
  'transcriber.turn': {
    weight: 2,
    generate: (runner, choice) => {
      const phase = PHASES[choice % PHASES.length] ?? 'ended';
      return { type: 'transcriber.turn', phase, text: textOf(runner, choice), ...spanOf(runner) };
    },
  },
  'transcriber.failed': {
    weight: 2,
    generate: (_, choice) => (choice < 3 ? { type: 'transcriber.failed', error: error(choice > 0) } : null),
  },
  'model.first_token': {
    weight: 2,
    generate: ({ generation }, choice) => ({
      type: 'model.first_token',
      generation: latestOrPrevious(generation, choice),
    }),
  },
  'model.sentence': {
    weight: 3,
    generate: (runner, choice) => {
      const text = `${textOf(runner, choice)} sentence.`;
      return { type: 'model.sentence', generation: latestOrPrevious(runner.generation, choice), text };
    },
  },
  'model.tool_call': {
    weight: 3,
    generate: ({ generation }, choice) => {
      const argumentsText = choice === 8 ? '{"day' : '{"day":"x","digits":"1","query":"opening hours"}';
      const call = { id: `id${choice % 3}`, name: TOOL_NAMES[choice] ?? '', arguments: argumentsText };
      return { type: 'model.tool_call', generation: latestOrPrevious(generation, choice), call };
    },
  },
  'model.done': {
    weight: 3,
    generate: ({ generation }, choice) => ({
      type: 'model.done',
      generation: latestOrPrevious(generation, choice),
      finish: 'stop',
      ...(choice < 3 && { usage: { inputTokens: 10, outputTokens: 5 } }),
    }),
  },
  'model.failed': {
    weight: 2,
    generate: ({ generation }, choice) => ({
      type: 'model.failed',
      generation: latestOrPrevious(generation, choice),
      error: { ...error(choice < 8), ...(choice < 3 && { retryAfterMs: choice * 700 }) },
    }),
  },
  'extraction.done': {
    weight: 2,
    generate: (runner, choice) => {
      const answer = { name: textOf(runner, choice), size: String(choice) };
      return { type: 'extraction.done', extraction: latestOrPrevious(runner.extraction, choice), answer };
    },
  },
  'extraction.failed': {
    weight: 1,
    generate: ({ extraction }, choice) => ({
      type: 'extraction.failed',
      extraction: latestOrPrevious(extraction, choice),
      error: error(choice < 5),
    }),
  },
  'summary.done': {
    weight: 2,
    generate: (runner, choice) => {
      const answer = choice === 0 ? {} : { summary: choice === 1 ? LONG_TEXT : textOf(runner, choice) };
      return { type: 'summary.done', summary: latestOrPrevious(runner.summary, choice), answer };
    },
  },
  'summary.failed': {
    weight: 1,
    generate: ({ summary }, choice) => ({
      type: 'summary.failed',
      summary: latestOrPrevious(summary, choice),
      error: error(choice < 5),
    }),
  },
  'voice.started': {
    weight: 2,
    generate: (runner, choice) => {
      const segment = segmentOf(runner, choice);
      if (segment <= runner.segment) runner.startedSegments.add(segment);
      return { type: 'voice.started', segment };
    },
  },
  'voice.words': {
    weight: 2,
    generate: (runner, choice) => {
      const words = textOf(runner, choice)
        .split(' ')
        .map((text, index) => ({ text, startMs: index * 300, endMs: index * 300 + 250 }));
      return { type: 'voice.words', segment: segmentOf(runner, choice), words };
    },
  },
  'voice.done': {
    weight: 2,
    generate: (runner, choice) => {
      const segment = segmentOf(runner, choice);
      // A segment without audio counts as failed. This is rare here, otherwise few calls would last long.
      if (!runner.startedSegments.has(segment) && choice > 0) return null;
      return { type: 'voice.done', segment, durationMs: choice * 300 };
    },
  },
  'voice.failed': {
    weight: 2,
    generate: (runner, choice) => {
      if (choice > 3) return null;
      const segment = segmentOf(runner, choice);
      const durationMs = runner.startedSegments.has(segment) ? choice * 200 : 0;
      return { type: 'voice.failed', segment, durationMs, error: error(choice % 2 === 0) };
    },
  },
  'end_of_turn.judged': {
    weight: 1,
    generate: (runner, choice) => ({
      type: 'end_of_turn.judged',
      atMs: Math.floor(nowMs(runner) / 1_000) * 1_000,
      probability: choice / 9,
    }),
  },
  'knowledge.result': {
    weight: 2,
    generate: ({ searchIds }, choice) => {
      const toolCallId = searchIds[choice % Math.max(1, searchIds.length)];
      if (toolCallId === undefined) return null;
      const passages = choice < 3 ? [] : [{ source: 'hours.pdf', page: 1, heading: 'Hours', content: LONG_TEXT }];
      const result = choice > 7 ? ({ type: 'failed' } as const) : ({ type: 'found', passages } as const);
      return { type: 'knowledge.result', toolCallId, result };
    },
  },
  'tool.result': {
    weight: 2,
    generate: ({ toolRunIds }, choice) => {
      const toolCallId = toolRunIds[choice % Math.max(1, toolRunIds.length)];
      if (toolCallId === undefined) return null;
      const mapped = choice < 5 ? [] : [{ variable: 'size', value: String(choice) }];
      const content = choice === 9 ? LONG_TEXT : 'ok';
      return { type: 'tool.result', toolCallId, result: { successful: choice !== 8, content, mapped } };
    },
  },
  timer: {
    weight: 5,
    generate: ({ runningTimers }, choice) => {
      // The timer of the whole call fires last.
      const candidates = [...runningTimers].filter((timer) => timer !== 'max_duration' || runningTimers.size === 1);
      const timer = candidates[choice % Math.max(1, candidates.length)];
      if (timer === undefined) return null;
      runningTimers.delete(timer);
      return { type: 'timer', timer };
    },
  },
};

function playedOf(runner: RunnerState, choice: number) {
  return { utterance: runner.utterance, segment: segmentOf(runner, choice), playedMs: choice * 200 };
}

const isEventType = (key: string): key is EventType => Object.hasOwn(GENERATORS, key);
export const EVENT_TYPES = Object.keys(GENERATORS).filter(isEventType);

export function generateEvent(type: EventType, runner: RunnerState, choice: number): CallEvent | null {
  return GENERATORS[type].generate(runner, choice);
}

/** Sequences of events that belong together. Random single events would hardly ever form them. */
const EVENT_SEQUENCES = ['user turn', 'model text', 'tool call', 'tool call', 'playout'] as const;
const event = fc.oneof(
  ...EVENT_TYPES.map((type) => ({ weight: GENERATORS[type].weight, arbitrary: fc.constant(type) })),
);

/** An event or a sequence of events, `waitMs` after the previous one. `choice` selects its details. */
export const anyAction = fc.record({
  kind: fc.oneof({ weight: 2, arbitrary: event }, { weight: 1, arbitrary: fc.constantFrom(...EVENT_SEQUENCES) }),
  choice: fc.nat(9),
  waitMs: fc.nat(3_000),
});
export type RandomAction = typeof anyAction extends fc.Arbitrary<infer T> ? T : never;
