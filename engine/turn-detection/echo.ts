import type { CallContext } from '../core/context.ts';
import type { Segment } from '../core/state/playout-slice.ts';
import { wordSpans, wordsOf } from '../languages/words.ts';
import { SPOKEN_CHARACTER_MS } from '../transcript/played-text.ts';
import { hasChangingWords } from '../user-speech/open-speech.ts';

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

/**
 * Whether words repeat the agent's current speech: on a speakerphone the agent hears itself. The last word of an
 * interim may be incomplete.
 */
export function repeatsCurrentSpeech({ reply, userTurn }: CallContext, words: readonly string[]): boolean {
  const spokenWords = (reply === null ? [] : lastPlayed(reply.segments)).flatMap(({ text }) => wordsOf(text));
  return spokenWords.some((_, from) =>
    words.every((word, index) => {
      const spokenWord = spokenWords[from + index];
      const isPrefix =
        hasChangingWords(userTurn.speech) && index === words.length - 1 && spokenWord?.startsWith(word) === true;
      return spokenWord === word || isPrefix;
    }),
  );
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
export function isAgentEcho({ reply, lastPlayedSegments }: CallContext, text: string, startedUs: number): boolean {
  const words = wordsOf(text);
  if (words.length < ECHO_WORDS_MIN) return false;
  return [lastPlayed(reply?.segments ?? []), lastPlayedSegments].some((segments) => {
    const played = segments.flatMap(playedWords);
    return played.some(
      ({ fromUs, untilUs }, from) =>
        startedUs >= fromUs &&
        startedUs <= untilUs &&
        words.every((word, index) => played[from + index]?.word === word),
    );
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
    const isBeforePause = playout.paused !== undefined && playedUs < playout.paused.untilUs;
    const atUs = isBeforePause ? playedUs - playout.paused.forUs : playedUs;
    return {
      word: wordsOf(word).join(' '),
      fromUs: atUs - (ECHO_EARLY_MS + offMs) * 1000,
      untilUs: atUs + (ECHO_LATE_MS + offMs) * 1000,
    };
  });
}
