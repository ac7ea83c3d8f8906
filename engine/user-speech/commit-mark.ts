import type { CommittedSpeech, SpeechSegment, SpeechTimeline } from '../core/state/speech-timeline.ts';
import { writtenWords } from './speech-words.ts';

/** Words are late by seconds: by then the user has ended no more turns than these. Older ones are not amended. */
export const AMENDABLE_TURNS_MAX = 4;

export interface Commit {
  /** The transcript entry that the words belong to. */
  readonly entry: number;
  /** Start of the voice activity since the last mark; null: there was none. */
  readonly activityStartMs: number | null;
  /** End of the voice activity; null: it continues, or there is none. */
  readonly activityEndMs: number | null;
}

/** Later events for these words change that entry and add nothing to the next turn. */
export function commitWords(timeline: SpeechTimeline, commit: Commit): SpeechTimeline {
  const open = timeline.segments.filter((segment) => openWords(segment).length > 0);
  const wordsEndMs = Math.max(committedUntilMs(timeline), ...open.map(({ endMs }) => endMs));
  const committed = [...timeline.committed, { ...commit, wordsEndMs }].slice(-AMENDABLE_TURNS_MAX);
  const segments = timeline.segments.map((segment) => withClaim(segment, commit.entry, openWords(segment).length));
  return { ...timeline, segments: segments.filter(mayChange(committed)), committed };
}

/** The words of the last turn are open again: nothing of the answer to them was heard. */
export function reopenWords(timeline: SpeechTimeline, entry: number): SpeechTimeline {
  const segments = timeline.segments.map((segment) => {
    const at = segment.claims.findIndex((claim) => claim.entry === entry);
    return at < 0 ? segment : { ...segment, claims: segment.claims.slice(0, at) };
  });
  return { ...timeline, segments, committed: timeline.committed.filter((speech) => speech.entry !== entry) };
}

/** A final segment is kept as long as its entry can be amended. */
function mayChange(committed: readonly CommittedSpeech[]) {
  const amendable = new Set(committed.map(({ entry }) => entry));
  return (segment: SpeechSegment) =>
    segment.state !== 'final' || segment.claims.some(({ entry }) => amendable.has(entry));
}

/** The next `count` words of the segment belong to the entry. */
export function withClaim(segment: SpeechSegment, entry: number, count: number): SpeechSegment {
  return count === 0 ? segment : { ...segment, claims: [...segment.claims, { entry, words: count }] };
}

/** End of the last committed word, in ms; 0 if nothing was committed. */
export function committedUntilMs({ committed }: SpeechTimeline): number {
  return committed.at(-1)?.wordsEndMs ?? 0;
}

/** Number of the segment's words before the commit mark. */
export function committedCount({ claims }: SpeechSegment): number {
  return claims.reduce((sum, { words }) => sum + words, 0);
}

/** By segment: rules read the same one many times, and each change makes another. */
const OPEN_WORDS = new WeakMap<SpeechSegment, readonly string[]>();

/** The segment's words after the commit mark. */
export function openWords(segment: SpeechSegment): readonly string[] {
  const known = OPEN_WORDS.get(segment);
  if (known !== undefined) return known;
  const words = writtenWords(segment.text).slice(committedCount(segment));
  OPEN_WORDS.set(segment, words);
  return words;
}

/** By timeline: rules read the same one many times, and each revision makes another. */
const OPEN_TEXTS = new WeakMap<SpeechTimeline, string>();

/** All words after the commit mark: the open turn. */
export function openText(timeline: SpeechTimeline): string {
  const known = OPEN_TEXTS.get(timeline);
  if (known !== undefined) return known;
  const text = timeline.segments.flatMap(openWords).join(' ');
  OPEN_TEXTS.set(timeline, text);
  return text;
}

/** The words of one entry, as they are known now. */
export function entryText(timeline: SpeechTimeline, entry: number): string {
  return entryParts(timeline, entry).join(' ');
}

/** The same, by segment. */
export function entryParts({ segments }: SpeechTimeline, entry: number): readonly string[] {
  return segments.map((segment) => wordsOfEntry(segment, entry).join(' ')).filter((text) => text !== '');
}

function wordsOfEntry({ text, claims }: SpeechSegment, entry: number): readonly string[] {
  if (!claims.some((claim) => claim.entry === entry)) return [];
  const words = writtenWords(text);
  let from = 0;
  return claims.flatMap((claim) => {
    const claimed = words.slice(from, from + claim.words);
    from += claim.words;
    return claim.entry === entry ? claimed : [];
  });
}
