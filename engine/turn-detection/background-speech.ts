import { audioTimeUs } from '../core/audio-clock.ts';
import type { CallContext } from '../core/context.ts';
import type { CallEvent, WordsEvent } from '../core/event.ts';
import type { EngineEvent, EventTime, RuleStep } from '../core/rule-step.ts';
import { transcriberTraits, wordTimeErrorMs } from '../current-providers/current-transcriber.ts';
import { ACTIVITY_MAX, isForgotten, overlaps } from '../echo/near-end-speech.ts';
import { hasFinalWords, takeWordsSince } from '../echo/words-before-activity.ts';
import type { TranscribedWord } from '../ports/transcriber.ts';
import { writtenWords } from '../user-speech/speech-words.ts';

/** Records when a voice far softer than the user's starts and stops in the background. */
export function onBackgroundSpeech(step: RuleStep): void {
  const { event } = step;
  const { background } = step.context;
  if (event.type === 'media.background_speech_started') {
    const started = { fromUs: step.audioUs(event.audioMs), untilUs: null };
    step.change({ background: [...background, started].slice(-ACTIVITY_MAX) });
  } else if (event.type === 'media.background_speech_stopped') {
    const untilUs = step.audioUs(event.audioMs);
    step.change({ background: background.map((heard) => ({ ...heard, untilUs: heard.untilUs ?? untilUs })) });
  }
}

/** Whether a background voice is speaking now. */
export function hearsBackground({ background }: CallContext): boolean {
  return background.at(-1)?.untilUs === null;
}

/**
 * Restores words of a final that were left out as background. The media worker may report the user's speech only after the final: the
 * words since its start are then separated again.
 */
export function restoreLeftOutWords(step: RuleStep): void {
  const { event } = step;
  if (event.type !== 'media.speech_started') return;
  for (const words of takeWordsSince(step, event.audioMs)) {
    const own = separateBackground(step.context, words, step.time)?.own ?? words;
    if (own.text !== '') step.raise(own);
  }
}

/**
 * The event without background words: words heard while a far softer voice spoke and the user did not. A word heard while neither voice
 * was active is the user's, since voice activity misses soft speech. Once a machine has answered, every word is the user's: a person
 * after its menu may be softer. Words removed from a final come first, as a separate event.
 */
export function withoutBackgroundWords(
  context: CallContext,
  event: CallEvent,
  time: EventTime,
): readonly (CallEvent | EngineEvent)[] {
  if (event.type !== 'transcriber.interim' && event.type !== 'transcriber.final' && event.type !== 'transcriber.turn')
    return [event];
  const separated = separateBackground(context, event, time);
  if (separated === null) return [event];
  const { own, background } = separated;
  return hasFinalWords(background) ? [{ type: 'engine.words_left_out', words: background }, own] : [own];
}

interface SeparatedWords<E extends WordsEvent> {
  readonly own: E;
  readonly background: E;
}

/** Null if the event has no words of the background. */
function separateBackground<E extends WordsEvent>(
  context: CallContext,
  event: E,
  time: EventTime,
): SeparatedWords<E> | null {
  if (context.background.length === 0 || hasMachineAnswered(context)) return null;
  const written = writtenWords(event.text);
  const words = event.words ?? [];
  if (written.length === 0) return null;
  if (words.length !== written.length) {
    const isBackground = isOfBackground(context, time, event.startMs, event.endMs);
    return isBackground ? { own: { ...event, text: '', words: [] }, background: event } : null;
  }
  const isOwn = words.map((word) => !isWordOfBackground(context, time, word));
  if (isOwn.every(Boolean)) return null;
  const left = words.filter((_, at) => !isOwn[at]);
  const [startMs, endMs] = [left[0]?.startMs ?? event.startMs, left.at(-1)?.endMs ?? event.endMs];
  return {
    own: { ...event, ...wordsAt(written, words, (at) => isOwn[at] === true) },
    background: { ...event, ...wordsAt(written, words, (at) => isOwn[at] === false), startMs, endMs },
  };
}

function hasMachineAnswered({ answeringMachine: { type } }: CallContext): boolean {
  return type !== null && type !== 'human';
}

function wordsAt(
  written: readonly string[],
  words: readonly TranscribedWord[],
  isTaken: (at: number) => boolean,
): { readonly text: string; readonly words: readonly TranscribedWord[] } {
  return { text: written.filter((_, at) => isTaken(at)).join(' '), words: words.filter((_, at) => isTaken(at)) };
}

/** Decides by the middle of the word: its ends may overlap speech of another voice. */
function isWordOfBackground(context: CallContext, time: EventTime, { startMs, endMs }: TranscribedWord): boolean {
  const middleMs = (startMs + endMs) / 2;
  return isOfBackground(context, time, middleMs, middleMs);
}

function isOfBackground(context: CallContext, time: EventTime, startMs: number, endMs: number): boolean {
  const { background, echo } = context;
  const errorUs = wordTimeErrorMs(transcriberTraits(context)) * 1000;
  const fromUs = audioTimeUs(time.audioClock, startMs) - errorUs;
  const isHeard = overlaps(fromUs, audioTimeUs(time.audioClock, endMs) + errorUs);
  return !isForgotten(echo.activity, fromUs) && background.some(isHeard) && !echo.activity.some(isHeard);
}
