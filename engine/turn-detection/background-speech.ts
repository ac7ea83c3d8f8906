import type { CallContext } from '../core/context.ts';
import type { CallEvent } from '../core/event.ts';
import type { EventTime, RuleStep } from '../core/rule-step.ts';
import { transcriberTraits, wordTimeErrorMs } from '../current-providers/current-transcriber.ts';
import { ACTIVITY_MAX, isForgotten, overlaps } from '../echo/near-end-speech.ts';
import type { TranscribedWord } from '../ports/transcriber.ts';
import { writtenWords } from '../user-speech/speech-words.ts';

type WordsEvent = Extract<
  CallEvent,
  { readonly type: 'transcriber.interim' | 'transcriber.final' | 'transcriber.turn' }
>;

/** The media worker heard a voice far softer than the user's, or its end. */
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

/** A voice in the background speaks now. */
export function hearsBackground({ background }: CallContext): boolean {
  return background.at(-1)?.untilUs === null;
}

/**
 * The event without the words of the background: those that were heard while a far softer voice spoke and the user did
 * not. Words without either count as the user's, since voice activity misses soft speech. Once a machine has answered, all
 * words count: a person behind its menu may be softer.
 */
export function withoutBackgroundWords(context: CallContext, event: CallEvent, time: EventTime): CallEvent {
  if (context.background.length === 0 || hasMachineAnswered(context)) return event;
  if (event.type !== 'transcriber.interim' && event.type !== 'transcriber.final' && event.type !== 'transcriber.turn')
    return event;
  const written = writtenWords(event.text);
  const words = event.words ?? [];
  if (written.length === 0) return event;
  if (words.length !== written.length) {
    const isBackground = isOfBackground(context, time, event.startMs, event.endMs);
    return isBackground ? { ...event, text: '', words: [] } : event;
  }
  const own = words.map((word) => !isWordOfBackground(context, time, word));
  if (own.every(Boolean)) return event;
  return { ...event, ...ownWords(written, words, own) };
}

function hasMachineAnswered({ answeringMachine: { type } }: CallContext): boolean {
  return type !== null && type !== 'human';
}

function ownWords(
  written: readonly string[],
  words: readonly TranscribedWord[],
  own: readonly boolean[],
): Pick<WordsEvent, 'text' | 'words'> {
  return { text: written.filter((_, i) => own[i]).join(' '), words: words.filter((_, i) => own[i]) };
}

/** The middle of a word decides: its ends may reach into the speech of another. */
function isWordOfBackground(context: CallContext, time: EventTime, { startMs, endMs }: TranscribedWord): boolean {
  const middleMs = (startMs + endMs) / 2;
  return isOfBackground(context, time, middleMs, middleMs);
}

function isOfBackground(context: CallContext, time: EventTime, startMs: number, endMs: number): boolean {
  const { background, echo } = context;
  const errorUs = wordTimeErrorMs(transcriberTraits(context)) * 1000;
  const fromUs = time.audioEpochUs + startMs * 1000 - errorUs;
  const isHeard = overlaps(fromUs, time.audioEpochUs + endMs * 1000 + errorUs);
  return !isForgotten(echo.activity, fromUs) && background.some(isHeard) && !echo.activity.some(isHeard);
}
