import type { CallEvent } from '../core/event.ts';
import type { RuleStep } from '../core/rule-step.ts';
import { transcriberTraits, wordTimeErrorMs } from '../current-providers/current-transcriber.ts';
import { countInTurn } from '../metrics/conversation-metrics.ts';
import { type HeardWord, hasWordTimes, heardWords } from './heard-words.ts';
import { isNearEndSpeech, lacksNearEndSpeech } from './near-end-speech.ts';
import { type PlayedWord, playedWords } from './played-words.ts';
import { type RepeatedWord, repetitionAt, resembles } from './repeated-words.ts';

/**
 * The echo of a word starts at most this long after its playout while its delay is not known, in ms: the acoustic path
 * and the inaccuracy of transcribers. A user who answers with the last words of a question starts later.
 */
const UNKNOWN_DELAY_MAX_MS = 500;
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
const LAG_STEP_MAX_US = 1_000_000;
/** The end of an echo is the user's from so many words with near-end speech on: less may be a leak of the echo. */
const OWN_TAIL_MIN = 2;
/** At each end of a repetition so many words may be misheard, as a share of the recognised ones. */
const MISHEARD_SHARE_MAX = 1 / 3;

export type WordsEvent = Extract<
  CallEvent,
  { readonly type: 'transcriber.interim' | 'transcriber.final' | 'transcriber.turn' }
>;

/** What is known of the words of an event. */
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
  const { heard, isFinal } = evidence;
  const echo = withUnspokenWords(evidence, repeatedWords(evidence));
  if (echo.size === 0) return event;
  if (isFinal) countInTurn(step, 'echoWords', echo.size);
  const own = heard.filter((_, at) => !echo.has(at));
  const [first, last] = [own[0], own.at(-1)];
  if (first === undefined || last === undefined) return { ...event, text: '', words: [] };
  const toMs = (us: number) => Math.round((us - step.time.audioEpochUs) / 1000);
  return {
    ...event,
    text: own.map(({ written }) => written).join(' '),
    words: evidence.isTimed ? (event.words ?? []).filter((_, at) => !echo.has(at)) : [],
    startMs: heard[0] === first ? event.startMs : toMs(first.fromUs),
    endMs: heard.at(-1) === last ? event.endMs : toMs(last.untilUs),
  };
}

/** Null if the agent was not heard during the event. */
function evidenceOf(step: RuleStep, event: WordsEvent): Evidence | null {
  const errorUs = wordTimeErrorMs(transcriberTraits(step.context)) * 1000;
  const played = playedDuring(step, step.audioUs(event.startMs), step.audioUs(event.endMs), errorUs);
  if (played.length === 0) return null;
  const isFinal = event.type === 'transcriber.final' || (event.type === 'transcriber.turn' && event.phase === 'ended');
  return { step, heard: heardWords(step, event), played, isTimed: hasWordTimes(event), isFinal, errorUs };
}

/** The words of the agent whose echo may arrive in the interval. */
function playedDuring({ context }: RuleStep, fromUs: number, untilUs: number, errorUs: number): readonly PlayedWord[] {
  const { delayMs } = context.echo;
  const latestUs = delayMs === null ? UNKNOWN_DELAY_MAX_MS * 1000 : delayMs * 1000 + errorUs;
  return playedWords(context, fromUs - latestUs, untilUs + errorUs);
}

/** The places of the words that repeat the agent's at their time. */
function repeatedWords(evidence: Evidence): ReadonlySet<number> {
  const { heard, played } = evidence;
  const isRepeated = (word: RepeatedWord, before: RepeatedWord | null) =>
    (isInTime(evidence, word) || (before !== null && follows(evidence, word, before))) && isAlike(evidence, word);
  const echo = new Set<number>();
  for (let from = 0; from < heard.length; from++) {
    const repetition = repetitionAt(from, heard.length, played.length, isRepeated);
    const places = [...repeatedPlaces(repetition), ...misheardEnds(evidence, repetition)].toSorted((a, b) => a - b);
    if (!isEcho(evidence, repetition, places)) continue;
    for (const at of withoutOwnWords(evidence, places)) echo.add(at);
    from = places.at(-1) ?? from;
  }
  return echo;
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
  const latestUs = delayMs === null ? UNKNOWN_DELAY_MAX_MS * 1000 : evidence.errorUs;
  return lateUs >= -evidence.errorUs - slackUs && lateUs <= latestUs + slackUs;
}

/** The word is late by nearly the same time as the one before it: times drift within a long echo. */
function follows(evidence: Evidence, word: RepeatedWord, before: RepeatedWord): boolean {
  return Math.abs(lagUs(evidence, word) - lagUs(evidence, before)) <= LAG_STEP_MAX_US;
}

/** From the playout of the agent's word to the heard one. */
function lagUs({ heard, played }: Evidence, word: RepeatedWord): number {
  return (heard[word.heard]?.fromUs ?? Number.NaN) - (played[word.spoken]?.atUs ?? Number.NaN);
}

/** The places of a repetition, with those between them if words of the agent are missing there: they were misheard. */
function repeatedPlaces(repetition: readonly RepeatedWord[]): readonly number[] {
  return repetition.flatMap(({ heard, spoken }, index) => {
    const before = repetition[index - 1];
    if (before === undefined || spoken === before.spoken + 1) return [heard];
    return Array.from({ length: heard - before.heard }, (_, by) => before.heard + 1 + by);
  });
}

/** The places before and behind a repetition whose words are others than the agent's, but have the times of their echo. */
function misheardEnds(evidence: Evidence, repetition: readonly RepeatedWord[]): readonly number[] {
  const [first, last] = [repetition[0], repetition.at(-1)];
  if (first === undefined || last === undefined) return [];
  // Estimated times are too late behind a pause, so the shortest lag is the most accurate one.
  const leastUs = Math.min(...repetition.map((word) => lagUs(evidence, word)));
  const isMisheard = (word: RepeatedWord) =>
    Math.abs(lagUs(evidence, word) - leastUs) <= LAG_ERROR_US + (evidence.played[word.spoken]?.errorUs ?? 0);
  const most = Math.floor(repetition.length * MISHEARD_SHARE_MAX);
  const places: number[] = [];
  for (const [end, direction] of [
    [first, -1],
    [last, 1],
  ] as const) {
    for (let by = 1; by <= most; by++) {
      const word = { heard: end.heard + direction * by, spoken: end.spoken + direction * by };
      if (!isMisheard(word)) break;
      places.push(word.heard);
    }
  }
  return places;
}

/** @param places of the words that the repetition covers, in their order */
function isEcho(
  { heard, played, isFinal }: Evidence,
  repetition: readonly RepeatedWord[],
  places: readonly number[],
): boolean {
  if (places.length === heard.length) return places.length >= (isFinal ? WORDS_MIN.final : WORDS_MIN.interim);
  // A transcriber may divide an echo: its last words precede the answer.
  const isTail = repetition[0]?.heard === 0 && repetition.at(-1)?.spoken === played.length - 1;
  return repetition.length >= (isTail ? WORDS_MIN.final : PART_WORDS_MIN);
}

/** The places without those during which the user spoke: the user repeats the agent's words, all of them or the last. */
function withoutOwnWords({ step, heard, isTimed }: Evidence, places: readonly number[]): readonly number[] {
  const isOwn = (from: number | undefined, until = from) => {
    const [first, last] = [heard[from ?? -1], heard[until ?? -1]];
    if (first === undefined || last === undefined) return false;
    return isNearEndSpeech(step.context, first.fromUs, last.untilUs, step.nowUs);
  };
  const echoCount = places.findLastIndex((at) => !isOwn(at)) + 1;
  // Estimated times are too inaccurate for single words.
  const isOwnTail = isTimed && places.length - echoCount >= OWN_TAIL_MIN;
  const echo = isOwnTail ? places.slice(0, echoCount) : places;
  return isOwn(echo[0], echo.at(-1)) ? [] : echo;
}

/** The echo with the stretches of other words that came while the agent was heard and the user did not speak. */
function withUnspokenWords(evidence: Evidence, echo: ReadonlySet<number>): ReadonlySet<number> {
  const { step, errorUs } = evidence;
  if (step.context.echo.delayMs === null) return echo;
  const unspoken = stretchesOf(evidence, echo).filter((places) => {
    const [first, last] = [evidence.heard[places[0] ?? -1], evidence.heard[places.at(-1) ?? -1]];
    if (first === undefined || last === undefined) return false;
    const wasAgentHeard = playedDuring(step, first.fromUs, last.untilUs, errorUs).length > 0;
    return wasAgentHeard && lacksNearEndSpeech(step.context, first.fromUs - errorUs, last.untilUs + errorUs);
  });
  return new Set([...echo, ...unspoken.flat()]);
}

/** The places of the other words, divided by the echo and by pauses. */
function stretchesOf({ heard, isTimed, errorUs }: Evidence, echo: ReadonlySet<number>): readonly (readonly number[])[] {
  const stretches: number[][] = [];
  let last = -1;
  for (const [at, word] of heard.entries()) {
    if (echo.has(at)) continue;
    const pauseUs = word.fromUs - (heard[last]?.untilUs ?? word.fromUs);
    const goesOn = last === at - 1 && !(isTimed && pauseUs > errorUs);
    if (goesOn) stretches.at(-1)?.push(at);
    if (!goesOn || stretches.length === 0) stretches.push([at]);
    last = at;
  }
  return stretches;
}
