import type { CallContext } from '../core/context.ts';
import type { Segment } from '../core/state/playout-slice.ts';
import { wordSpans, wordsOf } from '../languages/words.ts';
import { SPOKEN_CHARACTER_MS } from '../transcript/played-text.ts';

/** What is repeated can be this old: the sentence before the one that is being spoken. */
const SEGMENTS_BACK = 2;
/** One word is as likely an answer. */
const OWN_WORDS_LEAST = 2;
/**
 * From the moment at which a word was played to that at which the transcriber has it begin: the way through the
 * user's room and back, and how exact transcribers are, in ms. Whoever repeats a question's last words as their answer
 * begins later: after the question's end.
 */
const ECHO_EARLY_MS = 300;
const ECHO_LATE_MS = 500;
/** Where the voice tells no word times, a word in the middle of a segment can be off by this share of it. */
const ESTIMATE_SHARE = 0.1;

/** A word that left on the wire, and between which moments its echo begins. */
interface PlayedWord {
  readonly word: string;
  readonly fromUs: number;
  readonly untilUs: number;
}

/**
 * On a speakerphone the agent hears itself: words that repeat what is being spoken. The last of words that may still
 * change can be a part of one.
 */
export function repeatsCurrentSpeech({ reply, userTurn }: CallContext, words: readonly string[]): boolean {
  const said = (reply === null ? [] : lastPlayed(reply.segments)).flatMap(({ text }) => wordsOf(text));
  return said.some((_, from) =>
    words.every((word, index) => {
      const whole = said[from + index];
      const isPart = userTurn.interim !== null && index === words.length - 1 && whole?.startsWith(word) === true;
      return whole === word || isPart;
    }),
  );
}

/** The segments of a reply that were on the wire last. */
export function lastPlayed(segments: readonly Segment[]): readonly Segment[] {
  return segments.filter((segment) => segment.playout !== null).slice(-SEGMENTS_BACK);
}

/**
 * Words that repeat what the agent was saying at that very moment: nobody has said them, and they belong to no turn.
 *
 * @param startedUs when these words began
 */
export function isAgentEcho({ reply, lastPlayedSegments }: CallContext, text: string, startedUs: number): boolean {
  const words = wordsOf(text);
  if (words.length < OWN_WORDS_LEAST) return false;
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
  const wholeMs = durationMs ?? text.length * SPOKEN_CHARACTER_MS;
  return spans.map(({ word, end }, index) => {
    const reported = words.length === spans.length ? words[index] : undefined;
    const share = (end - word.length) / text.length;
    const offMs = reported === undefined ? ESTIMATE_SHARE * 4 * share * (1 - share) * wholeMs : 0;
    const playedUs = playout.startedUs + (reported?.startMs ?? share * wholeMs) * 1000;
    const isBeforePause = playout.paused !== undefined && playedUs < playout.paused.untilUs;
    const atUs = isBeforePause ? playedUs - playout.paused.forUs : playedUs;
    return {
      word: wordsOf(word).join(' '),
      fromUs: atUs - (ECHO_EARLY_MS + offMs) * 1000,
      untilUs: atUs + (ECHO_LATE_MS + offMs) * 1000,
    };
  });
}
