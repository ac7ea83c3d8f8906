import type { CallerTurn } from '../core/context.ts';
import type { CallEvent } from '../core/event.ts';
import { SILENT_CALLER } from '../core/initial-context.ts';
import type { Step } from '../core/step.ts';
import { wordSpans } from '../languages/words.ts';
import type { TranscribedWord } from '../ports/transcriber.ts';
import { noticeCaughtUp } from '../provider-choice/transcriber-gap.ts';
import { writeCallerLine } from '../transcript/transcript.ts';
import { isOwnVoice } from './echo.ts';
import { learnFinal } from './final-wait.ts';
import { settlePart } from './long-turn.ts';
import { tunePatience } from './provider-threshold.ts';
import { turnText } from './turn-text.ts';

/** Takes in whatever tells of the caller's voice. */
export function hear(step: Step): void {
  noticeCaughtUp(step);
  learnFinal(step, step.context.caller);
  const caller = heardCaller(step, step.event);
  if (caller === null) return;
  step.change({ caller });
  tunePatience(step);
  if (step.event.type !== 'transcriber.final' && step.event.type !== 'transcriber.turn') return;
  settlePart(step);
  writeCallerLine(step);
}

function heardCaller(step: Step, event: Step['event']): CallerTurn | null {
  const caller = step.context.caller;
  switch (event.type) {
    case 'media.speech_started':
      return started(step, { ...caller, speaking: true, endOfTurn: false, due: false }, event.audioMs);
    case 'media.speech_stopped':
      return { ...caller, speaking: false, endedUs: step.audioUs(event.audioMs) };
    case 'transcriber.speech':
      return null;
    case 'transcriber.interim':
      return heardInterim(step, caller, event);
    case 'transcriber.final':
      return heardFinal(step, caller, event);
    case 'transcriber.utterance_end':
      return turnText(caller) === '' ? null : { ...caller, endOfTurn: true };
    case 'transcriber.turn':
      return heardTurn(step, caller, event);
    default:
      return null;
  }
}

/**
 * The first activity begins the turn, also where its words are not known yet when the next one comes: a stream that is lost
 * must hear all of it again. Words tell later whether that was another sound, and `forgetNoise` where none come.
 */
function started(step: Step, caller: CallerTurn, audioMs: number): CallerTurn {
  const atUs = step.audioUs(audioMs);
  return { ...caller, startedUs: Math.min(caller.startedUs ?? atUs, atUs) };
}

type EventOf<T extends CallEvent['type']> = Extract<CallEvent, { readonly type: T }>;

function heardInterim(step: Step, caller: CallerTurn, event: EventOf<'transcriber.interim'>): CallerTurn | null {
  if (event.endMs <= caller.takenUntilMs) return null;
  const text = freshText(caller, event);
  if (text === '') return caller.interim === null ? null : { ...caller, interim: null };
  const interim = { text, endMs: event.endMs };
  const takenWords = event.startMs < caller.takenUntilMs ? caller.takenWords : 0;
  // A stream that detected turns was lost on these words: they are heard again, as a segment.
  const heard: CallerTurn = { ...caller, interim, native: null, takenWords, endOfTurn: false, due: false };
  return spoken(step, heard, event.startMs, event.endMs);
}

function heardFinal(step: Step, caller: CallerTurn, event: EventOf<'transcriber.final'>): CallerTurn {
  const fresh = event.endMs <= caller.takenUntilMs ? '' : freshText(caller, event);
  const text = isOwnVoice(step.context, fresh, step.audioUs(event.startMs)) ? '' : fresh;
  const finalUntilMs = Math.max(caller.finalUntilMs, event.endMs);
  const native = fresh === '' ? caller.native : null;
  const heard: CallerTurn = { ...caller, interim: null, native, takenWords: 0, finalUntilMs };
  if (text === '') return { ...heard, endOfTurn: caller.endOfTurn || event.endOfTurn };
  const endMs = event.words.at(-1)?.endMs ?? event.endMs;
  const startMs = event.words[0]?.startMs ?? event.startMs;
  return spoken(
    step,
    {
      ...heard,
      finals: [...caller.finals, text],
      finalEndedUs: step.audioUs(endMs),
      endOfTurn: event.endOfTurn,
      due: false,
    },
    startMs,
    endMs,
  );
}

interface Recognised {
  readonly text: string;
  readonly startMs: number;
  readonly words?: readonly TranscribedWord[];
}

/** Words of a turn that was taken without waiting for its final are not heard a second time. */
function freshText({ takenUntilMs, takenWords }: CallerTurn, { text, startMs, words = [] }: Recognised): string {
  if (takenWords === 0 || startMs >= takenUntilMs) return text.trim();
  if (words.length === 0)
    return text.slice(wordSpans(text)[takenWords - 1]?.end ?? text.length).replace(/^[^\p{L}\p{N}]+/u, '');
  return words
    .filter((word) => word.startMs >= takenUntilMs)
    .map((word) => word.text)
    .join(' ');
}

function heardTurn(step: Step, caller: CallerTurn, event: EventOf<'transcriber.turn'>): CallerTurn | null {
  const isOld = caller.takenWords === 0 && event.endMs <= caller.takenUntilMs;
  if (isOld && event.text.trim() !== '') return null;
  const text = freshText(caller, event);
  const native = text === '' ? caller.native : text;
  const ended = event.phase === 'ended';
  const finalUntilMs = ended ? Math.max(caller.finalUntilMs, event.endMs) : caller.finalUntilMs;
  const taken = ended ? endedTurn(step, caller, native, event) : goingTurn(caller, native, event);
  // The other way round: what was heard as a segment is part of the turn.
  const turn = { ...taken, finalUntilMs, interim: text === '' ? caller.interim : null };
  return text === '' ? turn : spoken(step, turn, event.startMs, event.endMs);
}

function goingTurn(caller: CallerTurn, native: string | null, { startMs }: Recognised): CallerTurn {
  const takenWords = startMs < caller.takenUntilMs ? caller.takenWords : 0;
  return { ...caller, native, takenWords, endOfTurn: false, due: false };
}

/** Its words are final: where nobody could take the turn yet, the next one's stand behind them. */
function endedTurn(step: Step, caller: CallerTurn, native: string | null, { startMs }: Recognised): CallerTurn {
  const isNews = native !== null && !isOwnVoice(step.context, native, step.audioUs(startMs));
  const finals = isNews ? [...caller.finals, native] : caller.finals;
  return { ...caller, finals, native: null, takenWords: 0, endOfTurn: true, due: finals.length > 0 };
}

/** Activity so long before the first word was another sound. */
const ACTIVITY_BEFORE_WORDS_MAX_US = 1_500_000;

function spoken(step: Step, caller: CallerTurn, startMs: number, endMs: number): CallerTurn {
  // What of a segment belongs to the turn before began before this one.
  const startUs = step.audioUs(Math.max(startMs, caller.takenUntilMs));
  const isFirst = turnText(step.context.caller) === '';
  const before = caller.startedUs ?? startUs;
  const isNoise = isFirst && startUs - before > ACTIVITY_BEFORE_WORDS_MAX_US;
  return {
    ...caller,
    startedUs: isNoise ? startUs : Math.min(before, startUs),
    endedUs: Math.max(caller.endedUs ?? 0, step.audioUs(endMs)),
  };
}

/** Begins the next turn. Voice activity goes on as it is. */
export function forgetTurn(step: Step): void {
  const { speaking, takenUntilMs, takenWords, finalUntilMs, startedUs } = step.context.caller;
  step.change({
    caller: {
      ...SILENT_CALLER,
      speaking,
      takenUntilMs,
      takenWords,
      finalUntilMs,
      startedUs: speaking ? startedUs : null,
    },
  });
}

/** There was a sound, and no word in it. Activity that still goes on is the line's own noise, until it begins anew. */
export function forgetNoise(step: Step): void {
  forgetTurn(step);
  step.change({ caller: { ...step.context.caller, speaking: false, startedUs: null } });
}

/** The same for a turn whose words were taken: what is still said of them later is not new. */
export function takeTurn(step: Step): void {
  const takenUntilMs = takenUntil(step);
  const { interim, native, takenWords: before } = step.context.caller;
  const takenWords = before + wordSpans(interim?.text ?? native ?? '').length;
  forgetTurn(step);
  step.change({ caller: { ...step.context.caller, takenUntilMs, takenWords, startedUs: null } });
}

/** Words that are the agent's own, heard again: their final, which would have told so, has not come. False: there are none. */
export function dropOwnInterim(step: Step): boolean {
  const { caller } = step.context;
  const isOwn = isOwnVoice(step.context, turnText(caller), caller.startedUs ?? step.nowUs);
  if (caller.interim === null || !isOwn) return false;
  takeTurn(step);
  forgetNoise(step);
  return true;
}

/**
 * A word belongs to the turn where it began before the end of the last word that was known when the turn was taken; ms of
 * caller audio. Words that were still to come then are not lost: they are the next turn's.
 */
function takenUntil(step: Step): number {
  const { caller } = step.context;
  const knownUs = caller.finalEndedUs ?? caller.endedUs ?? step.nowUs;
  return Math.max(caller.takenUntilMs, caller.interim?.endMs ?? (knownUs - step.moment.audioEpochUs) / 1000);
}
