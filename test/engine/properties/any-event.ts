import fc from 'fast-check';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { TimerName } from '../../../engine/core/timer.ts';
import { CALLS, ERROR } from './any-agent.ts';

/** What the shell knows of a call: what was asked and is not answered yet. Only what fits it can happen, or nearly fits. */
export interface Known {
  readonly atUs: number;
  readonly texts: readonly string[];
  /** The numbers last given out. */
  readonly generation: number;
  readonly segment: number;
  readonly utterance: number;
  readonly extraction: number;
  readonly summary: number;
  /** Every call of a function, and every search, that was ordered. */
  readonly runs: readonly string[];
  readonly searches: readonly string[];
  readonly timers: Set<TimerName>;
  /** What the voice has begun: no segment plays for any time before. */
  readonly started: Set<number>;
}

export type EventType = CallEvent['type'];

/** Makes an event of its type that fits the call, or now and then does not; null where nothing of its kind can happen. */
interface Maker<T extends EventType> {
  readonly weight: number;
  readonly make: (known: Known, pick: number) => Extract<CallEvent, { readonly type: T }> | null;
}

/** Told of what was asked last, or now and then of what was asked before. */
const latest = (number: number, pick: number) => (pick === 9 ? number - 1 : number);
const textOf = ({ texts }: Known, pick: number) => texts[pick] ?? 'fine';
const segmentOf = ({ segment }: Known, pick: number) => Math.max(1, segment - (pick % 3));
const nowMs = ({ atUs }: Known) => atUs / 1000;
const spanOf = (known: Known) => ({ startMs: nowMs(known) - 300, endMs: nowMs(known) });
const error = (retryable: boolean) => ({ ...ERROR, retryable });
/** `eager_end` asks ahead: it is tried as often as all others. */
const PHASES = ['updated', 'eager_end', 'ended', 'eager_end', 'resumed', 'started'] as const;
/** More than a model is told of one answer. */
const LONG = 'many words '.repeat(1_000);

/** Every event of the inbox: one that is new is missing here, and the compiler says so. */
const MAKERS: { readonly [T in EventType]: Maker<T> } = {
  'call.offered': { weight: 1, make: (_, pick) => (pick === 0 ? { type: 'call.offered' } : null) },
  'call.terminate': {
    weight: 1,
    make: (_, pick) => (pick === 0 ? { type: 'call.terminate', reason: 'terminated' } : null),
  },
  'call.say': { weight: 2, make: (_, pick) => ({ type: 'call.say', text: 'By the way.', interrupt: pick < 5 }) },
  'call.context': { weight: 1, make: (known, pick) => ({ type: 'call.context', content: textOf(known, pick) }) },
  'control.ringing': { weight: 1, make: () => ({ type: 'control.ringing' }) },
  'control.answered': { weight: 1, make: () => ({ type: 'control.answered' }) },
  'control.on_hold': { weight: 2, make: () => ({ type: 'control.on_hold' }) },
  'control.off_hold': { weight: 2, make: () => ({ type: 'control.off_hold' }) },
  'control.transfer_succeeded': {
    weight: 2,
    make: (_, pick) => (pick > 1 ? null : { type: 'control.transfer_succeeded', ...(pick === 1 && { bridged: true }) }),
  },
  'control.transfer_failed': {
    weight: 2,
    make: (_, pick) => ({ type: 'control.transfer_failed', reason: 'busy', refused: pick < 5 }),
  },
  'control.ended': {
    weight: 1,
    make: (_, pick) => (pick === 0 ? { type: 'control.ended', cause: 'remote_bye' } : null),
  },
  'media.speech_started': {
    weight: 2,
    make: (known) => ({ type: 'media.speech_started', audioMs: nowMs(known) }),
  },
  'media.speech_stopped': {
    weight: 2,
    make: (known) => ({ type: 'media.speech_stopped', audioMs: nowMs(known) }),
  },
  'media.segment_started': {
    weight: 2,
    make: (known, pick) => ({ type: 'media.segment_started', ...playedOf(known, pick) }),
  },
  'media.segment_ended': {
    weight: 2,
    make: (known, pick) => ({ type: 'media.segment_ended', ...playedOf(known, pick) }),
  },
  'media.cleared': {
    weight: 2,
    make: ({ utterance }, pick) => ({ type: 'media.cleared', utterance, playedMs: pick * 200 }),
  },
  'media.paused': {
    weight: 2,
    make: ({ utterance }, pick) => ({ type: 'media.paused', utterance, playedMs: pick * 200 }),
  },
  'media.dtmf': {
    weight: 2,
    make: (_, pick) => ({ type: 'media.dtmf', digit: pick === 0 ? '#' : String(pick), durationMs: 100 }),
  },
  'media.tone': {
    weight: 3,
    make: (known, pick) => {
      const span = { startMs: nowMs(known) - 700, endMs: nowMs(known) - 200 };
      return { type: 'media.tone', kind: pick < 5 ? 'beep' : 'sit', frequencyHz: 1_000, ...span };
    },
  },
  'media.suspended': { weight: 1, make: () => ({ type: 'media.suspended' }) },
  'media.restored': { weight: 2, make: () => ({ type: 'media.restored' }) },
  'media.timeout': { weight: 1, make: (_, pick) => (pick === 0 ? { type: 'media.timeout' } : null) },
  'media.failed': { weight: 1, make: (_, pick) => (pick === 0 ? { type: 'media.failed', message: 'no' } : null) },
  'transcriber.ready': { weight: 2, make: () => ({ type: 'transcriber.ready' }) },
  'transcriber.speech': { weight: 1, make: (known) => ({ type: 'transcriber.speech', audioMs: nowMs(known) }) },
  'transcriber.interim': {
    weight: 2,
    make: (known, pick) => ({ type: 'transcriber.interim', text: textOf(known, pick), ...spanOf(known) }),
  },
  'transcriber.final': {
    weight: 4,
    make: (known, pick) => {
      const text = textOf(known, pick);
      const endOfTurn = Math.floor(nowMs(known)) % 2 === 0;
      return { type: 'transcriber.final', text, words: [], ...spanOf(known), endOfTurn };
    },
  },
  'transcriber.utterance_end': {
    weight: 2,
    make: (known, pick) => ({ type: 'transcriber.utterance_end', lastWordEndMs: nowMs(known) - pick * 100 }),
  },
  'transcriber.turn': {
    weight: 2,
    make: (known, pick) => {
      const phase = PHASES[pick % PHASES.length] ?? 'ended';
      return { type: 'transcriber.turn', phase, text: textOf(known, pick), ...spanOf(known) };
    },
  },
  'transcriber.failed': {
    weight: 2,
    make: (_, pick) => (pick < 3 ? { type: 'transcriber.failed', error: error(pick > 0) } : null),
  },
  'model.first_token': {
    weight: 2,
    make: ({ generation }, pick) => ({ type: 'model.first_token', generation: latest(generation, pick) }),
  },
  'model.sentence': {
    weight: 3,
    make: (known, pick) => {
      const text = `${textOf(known, pick)} sentence.`;
      return { type: 'model.sentence', generation: latest(known.generation, pick), text };
    },
  },
  'model.tool_call': {
    weight: 3,
    make: ({ generation }, pick) => {
      const given = pick === 8 ? '{"day' : '{"day":"x","digits":"1","query":"opening hours"}';
      const call = { id: `id${pick % 3}`, name: CALLS[pick] ?? '', arguments: given };
      return { type: 'model.tool_call', generation: latest(generation, pick), call };
    },
  },
  'model.done': {
    weight: 3,
    make: ({ generation }, pick) => ({
      type: 'model.done',
      generation: latest(generation, pick),
      finish: 'stop',
      ...(pick < 3 && { usage: { inputTokens: 10, outputTokens: 5 } }),
    }),
  },
  'model.failed': {
    weight: 2,
    make: ({ generation }, pick) => ({
      type: 'model.failed',
      generation: latest(generation, pick),
      error: { ...error(pick < 8), ...(pick < 3 && { retryAfterMs: pick * 700 }) },
    }),
  },
  'extraction.done': {
    weight: 2,
    make: (known, pick) => {
      const answer = { name: textOf(known, pick), size: String(pick) };
      return { type: 'extraction.done', extraction: latest(known.extraction, pick), answer };
    },
  },
  'extraction.failed': {
    weight: 1,
    make: ({ extraction }, pick) => ({
      type: 'extraction.failed',
      extraction: latest(extraction, pick),
      error: error(pick < 5),
    }),
  },
  'summary.done': {
    weight: 2,
    make: (known, pick) => {
      const answer = pick === 0 ? {} : { summary: pick === 1 ? LONG : textOf(known, pick) };
      return { type: 'summary.done', summary: latest(known.summary, pick), answer };
    },
  },
  'summary.failed': {
    weight: 1,
    make: ({ summary }, pick) => ({ type: 'summary.failed', summary: latest(summary, pick), error: error(pick < 5) }),
  },
  'voice.started': {
    weight: 2,
    make: (known, pick) => {
      const segment = segmentOf(known, pick);
      if (segment <= known.segment) known.started.add(segment);
      return { type: 'voice.started', segment };
    },
  },
  'voice.words': {
    weight: 2,
    make: (known, pick) => {
      const words = textOf(known, pick)
        .split(' ')
        .map((text, index) => ({ text, startMs: index * 300, endMs: index * 300 + 250 }));
      return { type: 'voice.words', segment: segmentOf(known, pick), words };
    },
  },
  'voice.done': {
    weight: 2,
    make: (known, pick) => {
      const segment = segmentOf(known, pick);
      // One without a sample has failed: seldom, else few calls would come far.
      if (!known.started.has(segment) && pick > 0) return null;
      return { type: 'voice.done', segment, durationMs: pick * 300 };
    },
  },
  'voice.failed': {
    weight: 2,
    make: (known, pick) => {
      if (pick > 3) return null;
      const segment = segmentOf(known, pick);
      const durationMs = known.started.has(segment) ? pick * 200 : 0;
      return { type: 'voice.failed', segment, durationMs, error: error(pick % 2 === 0) };
    },
  },
  'knowledge.result': {
    weight: 2,
    make: ({ searches }, pick) => {
      const toolCallId = searches[pick % Math.max(1, searches.length)];
      if (toolCallId === undefined) return null;
      const passages = pick < 3 ? [] : [{ source: 'hours.pdf', page: 1, heading: 'Hours', content: LONG }];
      const result = pick > 7 ? ({ type: 'failed' } as const) : ({ type: 'found', passages } as const);
      return { type: 'knowledge.result', toolCallId, result };
    },
  },
  'tool.result': {
    weight: 2,
    make: ({ runs }, pick) => {
      const toolCallId = runs[pick % Math.max(1, runs.length)];
      if (toolCallId === undefined) return null;
      const mapped = pick < 5 ? [] : [{ variable: 'size', value: String(pick) }];
      const content = pick === 9 ? LONG : 'ok';
      return { type: 'tool.result', toolCallId, result: { successful: pick !== 8, content, mapped } };
    },
  },
  timer: {
    weight: 5,
    make: ({ timers }, pick) => {
      // That of the whole call is the last to ring.
      const ringing = [...timers].filter((timer) => timer !== 'max_duration' || timers.size === 1);
      const timer = ringing[pick % Math.max(1, ringing.length)];
      if (timer === undefined) return null;
      timers.delete(timer);
      return { type: 'timer', timer };
    },
  },
};

function playedOf(known: Known, pick: number) {
  return { utterance: known.utterance, segment: segmentOf(known, pick), playedMs: pick * 200 };
}

const isEventType = (key: string): key is EventType => Object.hasOwn(MAKERS, key);
export const EVENT_TYPES = Object.keys(MAKERS).filter(isEventType);

export function eventOf(type: EventType, known: Known, pick: number): CallEvent | null {
  return MAKERS[type].make(known, pick);
}

/** Several events that follow from each other: chance alone would hardly ever bring a call so far. */
const STRETCHES = ['a turn', 'an answer', 'a call', 'a call', 'all is heard'] as const;
const event = fc.oneof(...EVENT_TYPES.map((type) => ({ weight: MAKERS[type].weight, arbitrary: fc.constant(type) })));

/** Something that happens, an event `waitMs` after what happened before; `pick` chooses how. */
export const happening = fc.record({
  what: fc.oneof({ weight: 2, arbitrary: event }, { weight: 1, arbitrary: fc.constantFrom(...STRETCHES) }),
  pick: fc.nat(9),
  waitMs: fc.nat(3_000),
});
export type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;
