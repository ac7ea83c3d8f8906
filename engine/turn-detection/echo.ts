import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { Segment } from '../core/state/playout-slice.ts';
import { wordSpans, wordsOf } from '../languages/words.ts';
import { SPOKEN_CHARACTER_MS } from '../transcript/played-text.ts';
import { hasChangingWords } from '../user-speech/open-speech.ts';
import { repetitionsOf } from './repeated-words.ts';

/** Activity that is remembered: more than a minute of lively speech. */
export const ACTIVITY_MAX = 32;
/** Transcribers place words up to this far from the sound. */
const WORD_TIME_ERROR_US = 500_000;
/** An echo repeats the segment that is being spoken, or the one before it. */
const SEGMENTS_BACK = 2;
/** A single word can be an answer as well as an echo. */
const ECHO_WORDS_MIN = 2;
/**
 * How long before and after the playout of a word its transcribed echo may start, in ms. The bounds cover the acoustic
 * path and the inaccuracy of transcribers. A user who answers with the last words of a question starts later, after the
 * question.
 */
const ECHO_EARLY_MS = 300;
const ECHO_LATE_MS = 500;
/** Error of an estimated word time in the middle of a segment, as a share of the segment's length. */
const ESTIMATE_SHARE = 0.1;

/** A played word, and the bounds of the time at which its echo begins. */
interface PlayedWord {
  readonly word: string;
  readonly fromUs: number;
  readonly untilUs: number;
}

/** Remembers when the user spoke. Runs at each event of speech. */
export function rememberActivity(step: RuleStep): void {
  const { event } = step;
  const { echo } = step.context;
  if (event.type === 'media.speech_started') {
    const started = { fromUs: step.audioUs(event.audioMs), untilUs: null };
    step.change({ echo: { ...echo, activity: [...echo.activity, started].slice(-ACTIVITY_MAX) } });
  } else if (event.type === 'media.speech_stopped') {
    const untilUs = step.audioUs(event.audioMs);
    const activity = echo.activity.map((interval) => ({ ...interval, untilUs: interval.untilUs ?? untilUs }));
    step.change({ echo: { ...echo, activity } });
  }
}

/** The media worker has learnt the echo of the line, or knows that it is gone. */
export function onEchoLearnt(step: RuleStep): void {
  if (step.event.type !== 'media.echo_learnt') return;
  step.change({ echo: { ...step.context.echo, delayMs: step.event.delayMs } });
}

/**
 * Whether these words came while the agent was heard on a line with echo, and the user did not speak: they are the
 * agent's.
 */
export function lacksNearEndSpeech(step: RuleStep, startMs: number, endMs: number): boolean {
  const { echo, lastPlayedSegments, reply } = step.context;
  if (echo.delayMs === null) return false;
  const fromUs = step.audioUs(startMs);
  const untilUs = step.audioUs(endMs);
  const [oldest] = echo.activity;
  const isForgotten = echo.activity.length === ACTIVITY_MAX && oldest !== undefined && oldest.fromUs > fromUs;
  if (isForgotten) return false;
  const delayUs = echo.delayMs * 1000;
  const wasAgentHeard = [...(reply?.segments ?? []), ...lastPlayedSegments].some((segment) => {
    if (segment.playout === null) return false;
    const lengthMs = segment.durationMs ?? segment.text.length * SPOKEN_CHARACTER_MS;
    const endedUs = segment.playout.startedUs + lengthMs * 1000 + delayUs + WORD_TIME_ERROR_US;
    return segment.playout.startedUs <= untilUs && endedUs >= fromUs;
  });
  const hasUserSpoken = echo.activity.some(
    (activity) =>
      activity.fromUs <= untilUs + WORD_TIME_ERROR_US &&
      (activity.untilUs ?? step.nowUs) >= fromUs - WORD_TIME_ERROR_US,
  );
  return wasAgentHeard && !hasUserSpoken;
}

/**
 * Whether words repeat the agent's current speech: on a speakerphone the agent hears itself. The last word of an
 * interim may be incomplete.
 */
export function repeatsCurrentSpeech({ reply, userTurn }: CallContext, words: readonly string[]): boolean {
  const spokenWords = (reply === null ? [] : lastPlayed(reply.segments)).flatMap(({ text }) => wordsOf(text));
  return repetitionsOf(spokenWords, words, hasChangingWords(userTurn.speech)).length > 0;
}

/** The segments of a reply that were on the wire last. */
export function lastPlayed(segments: readonly Segment[]): readonly Segment[] {
  return segments.filter((segment) => segment.playout !== null).slice(-SEGMENTS_BACK);
}

/**
 * Whether words are the echo of what the agent said at that time. An echo belongs to no user turn.
 *
 * @param startedUs when these words began
 */
export function isAgentEcho(
  { echo, reply, lastPlayedSegments }: CallContext,
  text: string,
  startedUs: number,
): boolean {
  const words = wordsOf(text);
  if (words.length < ECHO_WORDS_MIN) return false;
  const delayUs = (echo.delayMs ?? 0) * 1000;
  return [lastPlayed(reply?.segments ?? []), lastPlayedSegments].some((segments) => {
    const played = segments.flatMap(playedWords);
    const spokenWords = played.map(({ word }) => word);
    return repetitionsOf(spokenWords, words, false).some((from) => {
      const first = played[from];
      return first !== undefined && startedUs >= first.fromUs && startedUs <= first.untilUs + delayUs;
    });
  });
}

function playedWords({ text, playout, words, durationMs }: Segment): readonly PlayedWord[] {
  if (playout === null) return [];
  const spans = wordSpans(text);
  const lengthMs = durationMs ?? text.length * SPOKEN_CHARACTER_MS;
  return spans.map(({ word, end }, index) => {
    const reported = words.length === spans.length ? words[index] : undefined;
    const share = (end - word.length) / text.length;
    const offMs = reported === undefined ? ESTIMATE_SHARE * 4 * share * (1 - share) * lengthMs : 0;
    const playedUs = playout.startedUs + (reported?.startMs ?? share * lengthMs) * 1000;
    const atUs = (playout.pauses ?? []).reduceRight(
      (us, { untilUs, forUs }) => (us < untilUs ? us - forUs : us),
      playedUs,
    );
    return {
      word: wordsOf(word).join(' '),
      fromUs: atUs - (ECHO_EARLY_MS + offMs) * 1000,
      untilUs: atUs + (ECHO_LATE_MS + offMs) * 1000,
    };
  });
}
