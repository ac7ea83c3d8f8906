import type { RuleStep } from '../core/rule-step.ts';
import { hasChangingWords } from '../user-speech/open-speech.ts';
import { openHeardWords } from './heard-words.ts';
import { isNearEndSpeech } from './near-end-speech.ts';
import { playedWords } from './played-words.ts';
import { isRepetition, type RepeatedWord, resembles } from './repeated-words.ts';

/** The longest delay of an echo that media workers recognise, in ms. */
const DELAY_MS_MAX = 900;
/** An echo may be later than the known one by at most this, in ms: word times are inexact, and playback pauses. */
const LATE_MS_MAX = 1_000;

/**
 * Whether the last words of the open turn may be an echo that is later than the known one: they repeat words that the
 * agent had played shortly before. Words with near-end speech on a line whose echo is known are the user's.
 *
 * @param count of these words, as `wordsOf` divides a text
 */
export function repeatsCurrentSpeech(step: RuleStep, count: number): boolean {
  const { context, nowUs } = step;
  const heard = count === 0 ? [] : openHeardWords(step).slice(-count);
  const [first, last] = [heard[0], heard.at(-1)];
  if (first === undefined || last === undefined) return false;
  if (isNearEndSpeech(context, first.fromUs, last.untilUs, nowUs)) return false;
  const latestUs = ((context.echo.delayMs ?? DELAY_MS_MAX) + LATE_MS_MAX) * 1000;
  const played = playedWords(context, first.fromUs - latestUs, last.untilUs);
  // The last word of an interim may be incomplete.
  const isChanging = hasChangingWords(context.userTurn.speech);
  const isRepeated = ({ heard: at, spoken }: RepeatedWord) => {
    const [heardWord, playedWord] = [heard[at], played[spoken]];
    if (heardWord === undefined || playedWord === undefined) return false;
    const lagUs = heardWord.fromUs - playedWord.atUs;
    const errorUs = heardWord.errorUs + playedWord.errorUs;
    if (lagUs < -errorUs || lagUs > latestUs + errorUs) return false;
    return resembles(playedWord.word, heardWord.word, isChanging && at === heard.length - 1);
  };
  return isRepetition(heard.length, played.length, isRepeated);
}
