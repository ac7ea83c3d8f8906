import type { CallerTurn } from '../call/call-context.ts';
import type { TranscriberTraits } from '../ports/transcriber.ts';
import type { SpokenLanguage } from './spoken-language.ts';
import { turnText } from './turn-text.ts';
import { wordsOf } from './words.ts';

/**
 * How long the caller must be silent for their turn to have ended, in ms from the end of their speech. Both ends bound
 * every wait: below the first a breath would end a turn, beyond the last the line seems dead.
 */
const PAUSE_MS = {
  finishedSentence: 200,
  /** Words without a mark at their end: most transcribers give none in short answers. */
  plain: 500,
  unfinished: 1_200,
  dictation: 1_800,
} as const;

/** Beyond its percentile, what a final may take on the way. */
const FINAL_SLACK_MS = 100;
/** A sound without words is forgotten this long after the last moment at which a final could still come. */
const NOISE_SLACK_MS = 200;
/** Voice activity that goes on for so long after the last final word is not the caller's speech. */
const STUCK_ACTIVITY_MS = 2_500;
/** The same while words may still change, or the transcriber decides: it takes longer, but not for ever. */
const STUCK_WORDS_MS = 5_000;
/** Voice activity without any word for so long is a noise of the line. */
const STUCK_NOISE_MS = 10_000;

export interface EndpointQuestion {
  readonly caller: CallerTurn;
  readonly traits: TranscriberTraits;
  readonly language: SpokenLanguage;
  readonly entityDetection: boolean;
  readonly nowUs: number;
}

/** In how many ms the caller's turn has ended if nothing more is heard. Every wait has its bound. */
export function endpointDelayMs({ caller, traits, language, entityDetection, nowUs }: EndpointQuestion): number {
  const endedUs = caller.endedUs ?? caller.startedUs ?? nowUs;
  const until = (pauseMs: number) => Math.max(0, Math.round((endedUs - nowUs) / 1000 + pauseMs));
  const finalWaitMs = traits.finalP99Ms + FINAL_SLACK_MS;
  const text = turnText(caller);
  if (text === '') return until(caller.speaking ? STUCK_NOISE_MS : finalWaitMs + NOISE_SLACK_MS);
  // The transcriber decides; this is only the bound in which it must.
  if (traits.nativeTurns) return until(caller.speaking ? STUCK_WORDS_MS : STUCK_ACTIVITY_MS);
  const pauseMs = pauseAfter(text, language, entityDetection);
  if (caller.interim !== null) return until(caller.speaking ? STUCK_WORDS_MS : Math.max(pauseMs, finalWaitMs));
  if (caller.speaking && !caller.endOfTurn) return until(STUCK_ACTIVITY_MS);
  return until(pauseMs);
}

/** The pause that ends a turn of these words. */
export function pauseAfter(text: string, language: SpokenLanguage, entityDetection: boolean): number {
  const words = wordsOf(text);
  const last = words.at(-1) ?? '';
  if (entityDetection || isDictated(words, language)) return PAUSE_MS.dictation;
  if (language.unfinished.has(last) || /[,;:–—-]$|…$|\.\.\.$/.test(text.trim())) return PAUSE_MS.unfinished;
  return /[.?!。？！]["'”’)]?$/.test(text.trim()) ? PAUSE_MS.finishedSentence : PAUSE_MS.plain;
}

/** Digits, single letters and the words between them: the last two of a turn tell a dictation. */
function isDictated(words: readonly string[], language: SpokenLanguage): boolean {
  const last = words.slice(-2);
  if (last.length < 2) return /^\d{1,2}$/.test(last[0] ?? '');
  return last.every((word) => /^[\d.-]+$/.test(word) || /^\p{L}$/u.test(word) || language.dictation.has(word));
}
