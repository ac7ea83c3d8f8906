import type { WordsEvent } from '../core/event.ts';
import type { RuleStep } from '../core/rule-step.ts';
import { transcriberTraits, wordTimeErrorMs } from '../current-providers/current-transcriber.ts';
import { countInTurn } from '../metrics/conversation-metrics.ts';
import { type HeardWord, hasWordTimes, heardWords } from './heard-words.ts';
import { isActivityKnown, isNearEndSpeech, lacksNearEndSpeech, overlapsNearEndSpeech } from './near-end-speech.ts';
import { type PlayedWord, playedWords } from './played-words.ts';
import { type RepeatedWord, repetitionAt, resembles } from './repeated-words.ts';
import { hasFinalWords, rememberLeftOut } from './words-before-activity.ts';

/**
 * The echo of a word starts at most this long after its playout while its delay is not known, in ms: the acoustic path
 * and the inaccuracy of transcribers. A user who answers with the last words of a question starts later.
 */
const UNKNOWN_DELAY_MS_MAX = 500;
/** A single word can be an answer as well as an echo. An interim goes on. */
const WORDS_MIN = { final: 2, interim: 1 } as const;
/** A repetition within other words may be the user's own: two people say «can I» at one time by chance. */
const PART_WORDS_MIN = 3;
/** The words of one echo are late by the same time: a misheard word differs from the others by at most this. */
const LAG_ERROR_US = 200_000;
/**
 * The lag of two words of one echo differs by at most this: the longest pause of playback, 600 ms, and the error of both
 * times.
 */
const LAG_STEP_US_MAX = 1_000_000;
/** A word before or after this many recognised ones may be misheard. */
const MISHEARD_END_MIN = 3;

/** The evidence about the words of an event. */
interface Evidence {
  readonly step: RuleStep;
  readonly heard: readonly HeardWord[];
  readonly played: readonly PlayedWord[];
  readonly isTimed: boolean;
  readonly isFinal: boolean;
  /** Error of the transcriber's times. */
  readonly errorUs: number;
}

/**
 * The event without the agent's own words, which the user's phone returns: those that repeat what the agent says at that
 * time and, once the echo of the line is known, those during which the user did not speak. Words with near-end speech are
 * the user's, even if they repeat the agent's.
 */
export function withoutEcho(step: RuleStep, event: WordsEvent): WordsEvent {
  const evidence = evidenceOf(step, event);
  if (evidence === null) return event;
  const repeated = repeatedWords(withoutOwnWords(evidence));
  const unspoken = unspokenStretches(evidence, repeated);
  const echo = new Set([...repeated, ...unspoken.flat()]);
  if (echo.size === 0) return event;
  if (evidence.isFinal) countInTurn(step, 'echoWords', echo.size);
  if (hasFinalWords(event)) {
    const stretches = unspoken.map((stretch) => partOf(evidence, event, (word) => stretch.includes(word)));
    rememberLeftOut(step, stretches);
  }
  return partOf(evidence, event, (word) => !echo.has(word));
}

/** The event with some of its words. */
function partOf<E extends WordsEvent>(
  { step, heard, isTimed }: Evidence,
  event: E,
  isKept: (word: HeardWord) => boolean,
): E {
  const places = heard.map(isKept);
  const kept = heard.filter((_, at) => places[at]);
  const [first, last] = [kept[0], kept.at(-1)];
  if (first === undefined || last === undefined) return { ...event, text: '', words: [] };
  const toMs = (us: number) => Math.round(step.audioMsAt(us));
  return {
    ...event,
    text: kept.map(({ written }) => written).join(' '),
    words: isTimed ? (event.words ?? []).filter((_, at) => places[at]) : [],
    startMs: heard[0] === first ? event.startMs : toMs(first.fromUs),
    endMs: heard.at(-1) === last ? event.endMs : toMs(last.untilUs),
  };
}

/** Null if the agent was not heard during the event. */
function evidenceOf(step: RuleStep, event: WordsEvent): Evidence | null {
  const errorUs = wordTimeErrorMs(transcriberTraits(step.context)) * 1000;
  const played = playedDuring(step, step.audioUs(event.startMs), step.audioUs(event.endMs), errorUs);
  if (played.length === 0) return null;
  return {
    step,
    heard: heardWords(step, event),
    played,
    isTimed: hasWordTimes(event),
    isFinal: hasFinalWords(event),
    errorUs,
  };
}

/** The words of the agent whose echo may arrive in the interval. */
function playedDuring({ context }: RuleStep, fromUs: number, untilUs: number, errorUs: number): readonly PlayedWord[] {
  const { delayMs } = context.echo;
  const latestUs = delayMs === null ? UNKNOWN_DELAY_MS_MAX * 1000 : delayMs * 1000 + errorUs;
  return playedWords(context, fromUs - latestUs, untilUs + errorUs);
}

/** The words that repeat the agent's at their time, with the misheard ones between and beside them. */
function repeatedWords(evidence: Evidence): ReadonlySet<HeardWord> {
  const { heard, played } = evidence;
  const isRepeated = (word: RepeatedWord, before: RepeatedWord | null) =>
    (isInTime(evidence, word) || (before !== null && follows(evidence, word, before))) && isAlike(evidence, word);
  const echo = new Set<HeardWord>();
  for (let from = 0; from < heard.length; from++) {
    const repetition = repetitionAt(from, heard.length, played.length, isRepeated);
    const misheard = [...misheardBetween(repetition), ...misheardEnds(evidence, repetition)].filter(
      (at) => !mayBeOwn(evidence, at),
    );
    const places = [...repetition.map((word) => word.heard), ...misheard].toSorted((a, b) => a - b);
    const words = heard.filter((_, at) => places.includes(at));
    if (!isEcho(evidence, repetition, words)) continue;
    for (const word of words) echo.add(word);
    from = places.at(-1) ?? from;
  }
  return echo;
}

/**
 * The evidence without the words of the user: each word with near-end speech is theirs, between two words of an echo too.
 * Estimated times are too inaccurate for single words.
 */
function withoutOwnWords(evidence: Evidence): Evidence {
  const { step, heard, isTimed } = evidence;
  if (!isTimed) return evidence;
  return {
    ...evidence,
    heard: heard.filter(({ fromUs, untilUs }) => !isNearEndSpeech(step.context, fromUs, untilUs, step.nowUs)),
  };
}

function isAlike({ heard, played, isFinal }: Evidence, word: RepeatedWord): boolean {
  const isIncomplete = !isFinal && word.heard === heard.length - 1;
  return resembles(played[word.spoken]?.word ?? '', heard[word.heard]?.word ?? '', isIncomplete);
}

/** The echo of the agent's word may arrive at the time of the heard one. */
function isInTime(evidence: Evidence, word: RepeatedWord): boolean {
  const { delayMs } = evidence.step.context.echo;
  const lateUs = lagUs(evidence, word) - (delayMs ?? 0) * 1000;
  const slackUs = (evidence.heard[word.heard]?.errorUs ?? 0) + (evidence.played[word.spoken]?.errorUs ?? 0);
  const latestUs = delayMs === null ? UNKNOWN_DELAY_MS_MAX * 1000 : evidence.errorUs;
  return lateUs >= -evidence.errorUs - slackUs && lateUs <= latestUs + slackUs;
}

/** The word is late by nearly the same time as the one before it: times drift within a long echo. */
function follows(evidence: Evidence, word: RepeatedWord, before: RepeatedWord): boolean {
  return Math.abs(lagUs(evidence, word) - lagUs(evidence, before)) <= LAG_STEP_US_MAX;
}

/** From the playout of the agent's word to the heard one. */
function lagUs({ heard, played }: Evidence, word: RepeatedWord): number {
  return (heard[word.heard]?.fromUs ?? Number.NaN) - (played[word.spoken]?.atUs ?? Number.NaN);
}

/** The places within a repetition where words of the agent are missing: they were misheard. */
function misheardBetween(repetition: readonly RepeatedWord[]): readonly number[] {
  return repetition.flatMap(({ heard, spoken }, index) => {
    const before = repetition[index - 1];
    if (before === undefined || spoken === before.spoken + 1) return [];
    return Array.from({ length: heard - before.heard - 1 }, (_, by) => before.heard + 1 + by);
  });
}

/**
 * The places of the first and the last heard word, if they are others than the agent's beside a repetition, but have the
 * times of its echo. A word with more words beyond it is one of those.
 */
function misheardEnds(evidence: Evidence, repetition: readonly RepeatedWord[]): readonly number[] {
  const [first, last] = [repetition[0], repetition.at(-1)];
  if (first === undefined || last === undefined || repetition.length < MISHEARD_END_MIN) return [];
  // Estimated times are too late after a pause, so the shortest lag is the most accurate one.
  const leastUs = Math.min(...repetition.map((word) => lagUs(evidence, word)));
  const isMisheard = (word: RepeatedWord) =>
    Math.abs(lagUs(evidence, word) - leastUs) <= LAG_ERROR_US + (evidence.played[word.spoken]?.errorUs ?? 0);
  return [
    { heard: first.heard - 1, spoken: first.spoken - 1 },
    { heard: last.heard + 1, spoken: last.spoken + 1 },
  ]
    .filter((word) => (word.heard === 0 || word.heard === evidence.heard.length - 1) && isMisheard(word))
    .map(({ heard }) => heard);
}

/** The user may have spoken at the time of a word that does not repeat the agent's. */
function mayBeOwn({ step, heard }: Evidence, at: number): boolean {
  const word = heard[at];
  if (word === undefined) return false;
  return overlapsNearEndSpeech(step.context, word.fromUs - word.errorUs, word.untilUs + word.errorUs);
}

/** @param words that the repetition covers, in their order */
function isEcho(
  { step, heard, played, isTimed, isFinal }: Evidence,
  repetition: readonly RepeatedWord[],
  words: readonly HeardWord[],
): boolean {
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) return false;
  // The user's words are removed already. Near-end speech beside a word may still overlap it, because word times are
  // inexact.
  if (isTimed && isActivityKnown(step.context, first.fromUs)) return true;
  // Without word times, either all words are the user's or none is.
  if (!isTimed && isNearEndSpeech(step.context, first.fromUs, last.untilUs, step.nowUs)) return false;
  if (words.length === heard.length) return words.length >= (isFinal ? WORDS_MIN.final : WORDS_MIN.interim);
  // A transcriber may divide an echo: its last words precede the answer.
  const isTail = repetition[0]?.heard === 0 && repetition.at(-1)?.spoken === played.length - 1;
  return repetition.length >= (isTail ? WORDS_MIN.final : PART_WORDS_MIN);
}

/** The echo with the stretches of other words that came while the agent was heard and the user did not speak. */
function unspokenStretches(evidence: Evidence, echo: ReadonlySet<HeardWord>): readonly (readonly HeardWord[])[] {
  const { step, errorUs } = evidence;
  if (step.context.echo.delayMs === null) return [];
  return stretchesOf(evidence, echo).filter((words) => {
    const [first, last] = [words[0], words.at(-1)];
    if (first === undefined || last === undefined) return false;
    const wasAgentHeard = playedDuring(step, first.fromUs, last.untilUs, errorUs).length > 0;
    return wasAgentHeard && lacksNearEndSpeech(step.context, first.fromUs - errorUs, last.untilUs + errorUs);
  });
}

/** The other words, divided by the echo and by pauses. */
function stretchesOf(
  { heard, isTimed, errorUs }: Evidence,
  echo: ReadonlySet<HeardWord>,
): readonly (readonly HeardWord[])[] {
  const stretches: HeardWord[][] = [];
  let last = -1;
  for (const [at, word] of heard.entries()) {
    if (echo.has(word)) continue;
    const pauseUs = word.fromUs - (heard[last]?.untilUs ?? word.fromUs);
    const goesOn = last === at - 1 && !(isTimed && pauseUs > errorUs);
    if (goesOn) stretches.at(-1)?.push(word);
    if (!goesOn || stretches.length === 0) stretches.push([word]);
    last = at;
  }
  return stretches;
}
