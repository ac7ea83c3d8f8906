import type { UserTurn } from '../core/state/turn-detection-slice.ts';
import type { LanguagePack } from '../languages/language-packs.ts';
import { consistsOfPhrases } from '../languages/phrase-matching.ts';
import { wordsOf } from '../languages/words.ts';
import type { TranscriberTraits } from '../ports/transcriber.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';
import { hasChangingWords } from '../user-speech/open-speech.ts';
import { dictationOf, isNumberWord } from './dictation-detector.ts';
import { finalTimeoutMs, missingWordsTimeoutMs } from './final-timeout.ts';
import { areWordsMissing } from './missing-words.ts';

/**
 * The silence that ends a user turn, in ms from the end of speech. Below the shortest pause a breath would end the
 * turn; beyond the longest the user thinks that the call was cut off.
 */
const PAUSE_MS = {
  finishedSentence: 200,
  /** Text without final punctuation: most transcribers add none to short answers. */
  plain: 500,
  unfinished: 1_200,
  dictation: 1_800,
} as const;
export type PauseKind = keyof typeof PAUSE_MS;

/** A sound without words is discarded this long after the timeout of its final. */
const NOISE_SLACK_MS = 200;
/** Voice activity that continues for this long after the last final word is not speech of the user. */
const ACTIVITY_AFTER_FINAL_MAX_MS = 2_500;
/** The same bound while words may still change, or while the transcriber detects the end of turn. */
const UNSTABLE_WORDS_MAX_MS = 5_000;
/** Voice activity without any word for this long is noise. */
const NOISE_MAX_MS = 10_000;

/**
 * The bounds of every wait for the end of a turn, in ms from the end of the user's speech. `silentMs` bounds the wait
 * once the user is silent and all finals have arrived; only slower finals of a provider extend it.
 */
export const ENDPOINT_BOUNDS = {
  leastMs: PAUSE_MS.finishedSentence,
  silentMs: PAUSE_MS.dictation,
  mostMs: NOISE_MAX_MS,
} as const;

export interface EndpointInput {
  readonly userTurn: UserTurn;
  readonly traits: TranscriberTraits;
  /** Latencies of this call's finals, the latest last. */
  readonly finalLatenciesMs: readonly number[];
  readonly language: LanguagePack;
  readonly entityDetection: boolean;
  readonly nowUs: number;
  /** Engine time of the user's first sample. */
  readonly audioEpochUs: number;
}

/** The time in ms after which the user's turn ends if nothing more is heard. Every wait is bounded. */
export function endpointDelayMs(input: EndpointInput): number {
  const { userTurn, traits, language, entityDetection, nowUs } = input;
  const endedUs = userTurn.endedUs ?? userTurn.startedUs ?? nowUs;
  const until = (pauseMs: number) => Math.max(0, Math.round((endedUs - nowUs) / 1000 + pauseMs));
  const text = userTurnText(userTurn);
  if (text === '') return until(userTurn.speaking ? NOISE_MAX_MS : finalTimeoutMs(traits, []) + NOISE_SLACK_MS);
  // The transcriber decides; this only bounds its decision.
  if (traits.detectsTurns) return until(userTurn.speaking ? UNSTABLE_WORDS_MAX_MS : ACTIVITY_AFTER_FINAL_MAX_MS);
  const pauseMs = PAUSE_MS[pauseAfter(text, language, entityDetection)];
  const isChanging = hasChangingWords(userTurn.speech);
  if (isChanging && userTurn.speaking) return until(UNSTABLE_WORDS_MAX_MS);
  if (userTurn.speaking && !userTurn.endOfTurn) return until(ACTIVITY_AFTER_FINAL_MAX_MS);
  if (areWordsMissing(userTurn, traits, input.audioEpochUs))
    return until(Math.max(pauseMs, missingWordsTimeoutMs(traits, input.finalLatenciesMs)));
  return until(isChanging ? Math.max(pauseMs, finalTimeoutMs(traits, input.finalLatenciesMs)) : pauseMs);
}

/** The kind of pause that ends a turn with this text. */
export function pauseAfter(text: string, language: LanguagePack, entityDetection: boolean): PauseKind {
  const words = wordsOf(text);
  const last = words.at(-1) ?? '';
  const trimmed = text.trim();
  if (entityDetection || dictationOf(text, language) !== null) return 'dictation';
  if (/[?？]["'”’»)]?$/.test(trimmed)) return 'finishedSentence';
  // «Mhm» and «sí» are whole turns, even if the language also lists them as unfinished.
  const isWhole = consistsOfPhrases(words, language.backchannels);
  if ((language.continuationWords.has(last) && !isWhole) || /[,;:–—-]$|…$|\.\.\.$/.test(trimmed)) return 'unfinished';
  // More numbers may follow a number alone, even if the transcriber puts a full stop after it.
  const isNumber = words.every((word) => isNumberWord(word, language.dictation));
  return /[.!。！]["'”’»)]?$/.test(trimmed) && !isNumber ? 'finishedSentence' : 'plain';
}
