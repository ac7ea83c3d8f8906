import type { CallCommand } from '../../core/command.ts';
import type { CallEvent } from '../../core/event.ts';
import type { KnowledgeResult } from '../../ports/knowledge.ts';
import type { ModelEvent } from '../../ports/language-model.ts';
import type { ToolResult } from '../../ports/tool-runner.ts';
import type { TranscriberEvent } from '../../ports/transcriber.ts';
import type { SpokenWord } from '../../ports/voice.ts';
import type { Tape } from '../tape-file.ts';
import type { TapeEntry } from '../tape-format.ts';
import type {
  RecordedEndOfTurn,
  RecordedGeneration,
  RecordedResponses,
  RecordedSpeech,
  RecordedTranscription,
} from './recorded-responses.ts';

/** A cancelled segment has no recorded end: its duration is estimated with this time per character, in ms. */
export const CHARACTER_MS = 65;
/** Delay of a segment that was cancelled before its first audio. The delay of the preceding segment applies if there is one. */
const VOICE_DELAY_MS = 200;
/** Delay of a tool result that the tape does not contain: longer than any call. */
const NEVER_MS = 3_600_000;

/** The responses of every provider on a tape. */
export function readRecordedResponses({ header, entries }: Tape): RecordedResponses {
  return {
    format: header.format,
    transcriber: transcriptions(entries),
    models: generations(entries),
    extractions: jsonGenerations(entries),
    voices: speechResponses(entries),
    tools: toolResults(entries),
    searches: searchResults(entries),
    endsOfTurn: endOfTurnAnswers(entries),
  };
}

/** A recorded command with its time. */
interface RecordedCommand<C extends CallCommand> {
  readonly command: C;
  readonly atUs: number;
}

function commandsOf<T extends CallCommand['type']>(
  entries: readonly TapeEntry[],
  type: T,
): RecordedCommand<Extract<CallCommand, { readonly type: T }>>[] {
  const isType = (command: CallCommand): command is Extract<CallCommand, { readonly type: T }> => command.type === type;
  return entries.flatMap((entry) => entry.commands.filter(isType).map((command) => ({ command, atUs: entry.atUs })));
}

/** Times of a stream that replaced a lost one count from its `fromMs`. */
function transcriptions(entries: readonly TapeEntry[]): RecordedTranscription[] {
  const responses: RecordedTranscription[] = [];
  let stream = -1;
  let fromMs = 0;
  let isReady = false;
  for (const { event, audioMs = 0, commands } of entries) {
    const reported = transcriberEvent(event, fromMs);
    isReady = isReady || reported?.type === 'ready';
    // A replacing stream gets no audio before it is ready.
    const writtenMs = stream > 0 && (!isReady || reported?.type === 'ready') ? 0 : Math.max(0, audioMs - fromMs);
    if (reported !== null) responses.push({ audioMs: writtenMs, event: reported, ...(stream > 0 && { stream }) });
    for (const command of commands) {
      if (command.type !== 'transcriber.open') continue;
      stream++;
      fromMs = command.fromMs;
      isReady = false;
    }
  }
  return responses;
}

function transcriberEvent(event: CallEvent, fromMs: number): TranscriberEvent | null {
  switch (event.type) {
    case 'transcriber.ready':
      return { type: 'ready' };
    case 'transcriber.interim':
      return { ...event, ...spanFrom(event, fromMs), type: 'interim' };
    case 'transcriber.final':
      return {
        ...event,
        ...spanFrom(event, fromMs),
        words: event.words.map((word) => ({ ...word, ...spanFrom(word, fromMs) })),
        type: 'final',
      };
    case 'transcriber.utterance_end':
      return { type: 'utterance_end', lastWordEndMs: event.lastWordEndMs - fromMs };
    case 'transcriber.turn':
      return { ...event, ...spanFrom(event, fromMs), type: 'turn' };
    case 'transcriber.failed':
      return { ...event, type: 'failed' };
    default:
      return null;
  }
}

interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

function spanFrom({ startMs, endMs }: Span, fromMs: number): Span {
  return { startMs: startMs - fromMs, endMs: endMs - fromMs };
}

function generations(entries: readonly TapeEntry[]): RecordedGeneration[] {
  return commandsOf(entries, 'model.request').map(({ command: { generation, request }, atUs }) => {
    const events = timed(entries, atUs, (event) => modelEvents(event, generation));
    const drop = dropOf(
      entries,
      atUs,
      events,
      (command) => command.type === 'model.cancel' && command.generation === generation,
    );
    return { request, events: withFirstToken(events, entries, generation, atUs), ...drop };
  });
}

/** Extractions and summaries, in the order of the requests. */
function jsonGenerations(entries: readonly TapeEntry[]): RecordedGeneration[] {
  return entries.flatMap(({ atUs, commands }) =>
    commands.flatMap((command): RecordedGeneration[] => {
      if (command.type !== 'extraction.request' && command.type !== 'summary.request') return [];
      const events = timed(entries, atUs, (event) => jsonEvents(event, command));
      const drop = dropOf(entries, atUs, events, (other) => cancelsJsonRequest(other, command));
      return [{ request: command.request, events, ...drop }];
    }),
  );
}

function timed(entries: readonly TapeEntry[], atUs: number, read: (event: CallEvent) => ModelEvent[]): Timed[] {
  return entries.flatMap((entry) => read(entry.event).map((event) => ({ delayMs: (entry.atUs - atUs) / 1000, event })));
}

/** The time at which an unfinished response was cancelled, by a command or by the end of the call. */
function dropOf(
  entries: readonly TapeEntry[],
  requestedUs: number,
  events: readonly Timed[],
  drops: (command: CallCommand) => boolean,
): Pick<RecordedGeneration, 'droppedAfterMs'> {
  if (events.some(({ event }) => event.type === 'done' || event.type === 'failed')) return {};
  const dropped = entries.find(({ commands }) => commands.some(drops)) ?? entries.at(-1);
  return { droppedAfterMs: ((dropped?.atUs ?? requestedUs) - requestedUs) / 1000 };
}

type Timed = RecordedGeneration['events'][number];

/** The tape has no text of the first token: the first character of the first sentence is sent at its time. */
function withFirstToken(
  events: Timed[],
  entries: readonly TapeEntry[],
  generation: number,
  requestedUs: number,
): Timed[] {
  const first = entries.find(({ event }) => event.type === 'model.first_token' && event.generation === generation);
  const [sentence, ...rest] = events;
  if (first === undefined || sentence?.event.type !== 'text') return events;
  const [head = '', ...tail] = sentence.event.text;
  const delayMs = (first.atUs - requestedUs) / 1000;
  return [
    { delayMs, event: { type: 'text', text: head } },
    { delayMs: sentence.delayMs, event: { type: 'text', text: tail.join('') } },
    ...rest,
  ];
}

function modelEvents(event: CallEvent, generation: number): ModelEvent[] {
  if (!('generation' in event) || event.generation !== generation) return [];
  switch (event.type) {
    case 'model.sentence':
      return [{ type: 'text', text: `${event.text} ` }];
    case 'model.tool_call':
      return [{ type: 'tool_call', call: event.call }];
    case 'model.done':
      return [{ type: 'done', finish: event.finish, ...(event.usage === undefined ? {} : { usage: event.usage }) }];
    case 'model.failed':
      return [{ type: 'failed', error: event.error }];
    case 'model.first_token':
      return [];
  }
}

type JsonRequest = Extract<CallCommand, { readonly type: 'extraction.request' | 'summary.request' }>;

function cancelsJsonRequest(command: CallCommand, request: JsonRequest): boolean {
  return request.type === 'extraction.request'
    ? command.type === 'extraction.cancel' && command.extraction === request.extraction
    : command.type === 'summary.cancel' && command.summary === request.summary;
}

function jsonEvents(event: CallEvent, request: JsonRequest): ModelEvent[] {
  switch (event.type) {
    case 'extraction.done':
    case 'extraction.failed':
      if (request.type !== 'extraction.request' || request.extraction !== event.extraction) return [];
      break;
    case 'summary.done':
    case 'summary.failed':
      if (request.type !== 'summary.request' || request.summary !== event.summary) return [];
      break;
    default:
      return [];
  }
  if ('error' in event) return [{ type: 'failed', error: event.error }];
  const usage = event.usage === undefined ? {} : { usage: event.usage };
  return [
    { type: 'text', text: JSON.stringify(event.answer) },
    { type: 'done', finish: 'stop', ...usage },
  ];
}

function speechResponses(entries: readonly TapeEntry[]): RecordedSpeech[] {
  let offsetMs = 0;
  let freeUs = 0;
  let lastDelayMs = VOICE_DELAY_MS;
  return commandsOf(entries, 'voice.speak').map(({ command, atUs }) => {
    const { segment, text } = command;
    const segmentEntries = entries.filter(
      ({ event }) => 'segment' in event && event.type.startsWith('voice.') && event.segment === segment,
    );
    const end = segmentEntries.findLast(({ event }) => event.type === 'voice.done' || event.type === 'voice.failed');
    const begun = segmentEntries.find(({ event }) => event.type === 'voice.started') ?? end;
    const words = segmentEntries.flatMap(({ event }): readonly SpokenWord[] =>
      event.type === 'voice.words' ? event.words : [],
    );
    const recordedMs = end !== undefined && 'durationMs' in end.event ? end.event.durationMs : 0;
    const delayMs = begun === undefined ? lastDelayMs : Math.max(0, begun.atUs - Math.max(atUs, freeUs)) / 1000;
    const speech: RecordedSpeech = {
      text,
      delayMs,
      durationMs: end === undefined ? text.length * CHARACTER_MS : recordedMs,
      offsetMs: end === undefined ? null : offsetMs,
      ...(words.length === 0 ? {} : { words }),
      ...(end?.event.type === 'voice.failed' ? { error: end.event.error } : {}),
    };
    lastDelayMs = delayMs;
    offsetMs += recordedMs;
    freeUs = end?.atUs ?? freeUs;
    return speech;
  });
}

function toolResults(entries: readonly TapeEntry[]): RecordedResponses['tools'] {
  return commandsOf(entries, 'tool.run').map(({ command, atUs }) => {
    const end = entries.find(({ event }) => event.type === 'tool.result' && event.toolCallId === command.toolCallId);
    const result: ToolResult =
      end?.event.type === 'tool.result' ? end.event.result : { successful: false, content: '', mapped: [] };
    return { run: command.run, delayMs: end === undefined ? NEVER_MS : (end.atUs - atUs) / 1000, result };
  });
}

function searchResults(entries: readonly TapeEntry[]): RecordedResponses['searches'] {
  return commandsOf(entries, 'knowledge.search').map(({ command, atUs }) => {
    const { search, toolCallId } = command;
    const end = entries.find(({ event }) => event.type === 'knowledge.result' && event.toolCallId === toolCallId);
    const result: KnowledgeResult = end?.event.type === 'knowledge.result' ? end.event.result : { type: 'failed' };
    return { search, delayMs: end === undefined ? NEVER_MS : (end.atUs - atUs) / 1000, result };
  });
}

function endOfTurnAnswers(entries: readonly TapeEntry[]): ReadonlyMap<number, RecordedEndOfTurn> {
  const askedUs = new Map(
    commandsOf(entries, 'end_of_turn.judge').map(({ command, atUs }): [number, number] => [command.atMs, atUs]),
  );
  return new Map(
    entries.flatMap(({ atUs, event }): [number, RecordedEndOfTurn][] => {
      if (event.type !== 'end_of_turn.judged') return [];
      const { atMs, probability } = event;
      return [[atMs, { delayMs: (atUs - (askedUs.get(atMs) ?? atUs)) / 1000, probability }]];
    }),
  );
}
