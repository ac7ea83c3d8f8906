import type { UserTurn } from '../core/state/user-turn-slice.ts';
import type { LanguagePack } from '../languages/language-packs.ts';
import { consistsOf } from '../languages/phrase-matching.ts';
import { wordsOf } from '../languages/words.ts';
import type { TranscriberTraits } from '../ports/transcriber.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';
import { dictationOf, isNumberWord } from './dictation.ts';
import { finalTimeoutMs } from './final-timeout.ts';

/**
 * How long the user must be silent for their turn to have ended, in ms from the end of their speech. Both ends bound
 * every pause: below the first a breath would end a turn, beyond the last the line seems dead.
 */
const PAUSE_MS = {
  finishedSentence: 200,
  /** Words without a mark at their end: most transcribers give none in short answers. */
  plain: 500,
  unfinished: 1_200,
  dictation: 1_800,
} as const;
export type Pause = keyof typeof PAUSE_MS;

/** Activity that goes on for so long behind the last word is more than how differently both are measured. */
const WORDLESS_MS = 400;
/** A sound without words is forgotten this long after the last moment at which a final could still come. */
const NOISE_SLACK_MS = 200;
/** Voice activity that goes on for this long after the last final word is not speech of the user. */
const ACTIVITY_AFTER_FINAL_MAX_MS = 2_500;
/** The same while words may still change, or the transcriber decides: it takes longer, but not for ever. */
const UNSTABLE_WORDS_MAX_MS = 5_000;
/** Voice activity without any word for so long is a noise of the line. */
const NOISE_MAX_MS = 10_000;

/**
 * The bounds of every wait for the end of a turn, in ms from the end of the user's speech. `silentMs` holds once the
 * user is silent and the transcriber has said all; it is longer only where a provider's own finals take longer.
 */
export const ENDPOINT_BOUNDS = {
  leastMs: PAUSE_MS.finishedSentence,
  silentMs: PAUSE_MS.dictation,
  mostMs: NOISE_MAX_MS,
} as const;

export interface EndpointInput {
  readonly userTurn: UserTurn;
  readonly traits: TranscriberTraits;
  /** How long the finals of this call took, the latest last. */
  readonly finalLatenciesMs: readonly number[];
  readonly language: LanguagePack;
  readonly entityDetection: boolean;
  readonly nowUs: number;
}

/** The time in ms after which the user's turn ends if nothing more is heard. Every wait is bounded. */
export function endpointDelayMs(question: EndpointInput): number {
  const { userTurn, traits, language, entityDetection, nowUs } = question;
  const endedUs = userTurn.endedUs ?? userTurn.startedUs ?? nowUs;
  const until = (pauseMs: number) => Math.max(0, Math.round((endedUs - nowUs) / 1000 + pauseMs));
  const text = userTurnText(userTurn);
  if (text === '') return until(userTurn.speaking ? NOISE_MAX_MS : finalTimeoutMs(traits, []) + NOISE_SLACK_MS);
  // The transcriber decides; this is only the bound in which it must.
  if (traits.detectsTurns) return until(userTurn.speaking ? UNSTABLE_WORDS_MAX_MS : ACTIVITY_AFTER_FINAL_MAX_MS);
  const pauseMs = PAUSE_MS[pauseAfter(text, language, entityDetection)];
  if (userTurn.interim !== null && userTurn.speaking) return until(UNSTABLE_WORDS_MAX_MS);
  if (userTurn.speaking && !userTurn.endOfTurn) return until(ACTIVITY_AFTER_FINAL_MAX_MS);
  if (userTurn.interim === null && !awaitsWords(userTurn)) return until(pauseMs);
  return until(Math.max(pauseMs, finalTimeoutMs(traits, question.finalLatenciesMs)));
}

/** Something was said behind the last final, and its words are not there yet. */
function awaitsWords({ endedUs, finalEndedUs, speaking }: UserTurn): boolean {
  if (speaking || endedUs === null || finalEndedUs === null) return false;
  return endedUs - finalEndedUs > WORDLESS_MS * 1000;
}

/** The pause that ends a turn of these words. A word after which one goes on never makes it shorter. */
export function pauseAfter(text: string, language: LanguagePack, entityDetection: boolean): Pause {
  const words = wordsOf(text);
  const last = words.at(-1) ?? '';
  const trimmed = text.trim();
  if (entityDetection || dictationOf(text, language) !== null) return 'dictation';
  if (/[?？]["'”’»)]?$/.test(trimmed)) return 'finishedSentence';
  // «Mhm» and «sí» are whole turns, whatever else these words can be.
  const isWhole = consistsOf(words, language.backchannels);
  if ((language.unfinished.has(last) && !isWhole) || /[,;:–—-]$|…$|\.\.\.$/.test(trimmed)) return 'unfinished';
  // A number alone may be the first of more, whatever mark the transcriber puts behind it.
  const isNumber = words.every((word) => isNumberWord(word, language.dictation));
  return /[.!。！]["'”’»)]?$/.test(trimmed) && !isNumber ? 'finishedSentence' : 'plain';
}
