import type { SpeechClaim, SpeechRevision, SpeechSegment, SpeechTimeline } from '../core/state/speech-timeline.ts';
import { committedCount, openWords } from './commit-mark.ts';
import { hasSameSpan, isDoubled } from './doubled-words.ts';
import { type Hearing, withLateWords } from './late-words.ts';
import { spokenForm, writtenWords } from './speech-words.ts';
import { alignWords, areSimilar } from './word-alignment.ts';

/** The times of a stretch of speech shift by at most this much between its revisions, in ms. */
const SHIFT_MS_MAX = 1_000;
/** Less overlap, as a share of the shorter one, is an error of their times: they follow each other. */
const OVERLAP_SHARE_MIN = 0.5;
/** A final that ends this much before the interim in its place covers only a part of it, in ms. */
const PART_MS_MIN = 150;

/** The timeline after a revision. Committed words stay committed, whatever their new spelling; no word is counted twice. */
export function revise(timeline: SpeechTimeline, revision: SpeechRevision, hearing: Hearing): SpeechTimeline {
  if (isDoubled(timeline, revision)) return timeline;
  const { segments, segmentCount } = timeline;
  const finalUntilMs = revision.isFinal
    ? Math.max(timeline.finalUntilMs, coveredUntilMs(revision))
    : timeline.finalUntilMs;
  const replaced = segments.filter((segment) => isReplaced(segment, revision));
  if (revision.text.trim() === '') return { ...timeline, finalUntilMs, segments: withoutOpenWords(segments, replaced) };
  const parts = revisedSegments(timeline, replaced, revision, hearing);
  const at = placeOf(segments, replaced, revision);
  const before = segments.slice(0, at);
  return {
    ...timeline,
    finalUntilMs,
    segments: [
      // Finals come in the order of the speech: a segment before a final gets none.
      ...(revision.isFinal ? withoutOpenWords(before, before) : before),
      ...parts,
      ...segments.slice(at).filter((segment) => !replaced.includes(segment)),
    ],
    segmentCount: Math.max(segmentCount, ...parts.map(({ number }) => number)),
  };
}

/** The transcriber will report no other words for this speech. */
export function settle(timeline: SpeechTimeline, endMs: number): SpeechTimeline {
  const segments = timeline.segments.map((segment) => ({ ...segment, state: 'final' as const }));
  return { ...timeline, segments, finalUntilMs: Math.max(timeline.finalUntilMs, endMs) };
}

/**
 * The stream has failed, and another one gets the audio again. The words that it reports replace those of this stream,
 * also the committed ones, which stay committed.
 *
 * @param resentFromMs where the audio begins that is sent again: earlier words stay as they are
 */
export function loseStream(timeline: SpeechTimeline, resentFromMs: number): SpeechTimeline {
  const segments = timeline.segments.map((segment): SpeechSegment => {
    if (segment.state === 'final' || segment.endMs <= resentFromMs) return { ...segment, state: 'final' };
    return { ...segment, state: 'lost', words: [] };
  });
  return { ...timeline, segments };
}

/** A final has all words of the audio up to this position. */
function coveredUntilMs({ coveredMs, endMs }: SpeechRevision): number {
  return coveredMs ?? endMs;
}

function isReplaced(segment: SpeechSegment, revision: SpeechRevision): boolean {
  const { state, text, startMs, endMs } = segment;
  if (state === 'final') return revision.isFinal && hasSameSpan(segment, revision);
  if (state === 'lost' && revision.text.trim() === '') return false;
  // Uncommitted words are replaced whatever the times: the new stream decides what was said.
  if (state === 'lost' && openWords(segment).length > 0) return true;
  const overlapMs = Math.min(revision.endMs, endMs) - Math.max(revision.startMs, startMs);
  const shorterMs = Math.min(revision.endMs - revision.startMs, endMs - startMs);
  if (overlapMs > (revision.text.trim() === '' ? 0 : OVERLAP_SHARE_MIN * shorterMs)) return true;
  const gapMs = Math.max(revision.startMs - endMs, startMs - revision.endMs);
  return gapMs <= SHIFT_MS_MAX && beginAlike(text, revision.text);
}

function beginAlike(text: string, other: string): boolean {
  const [first, otherFirst] = [firstWord(text), firstWord(other)];
  return first === otherFirst || areSimilar(first, otherFirst);
}

function firstWord(text: string): string {
  return spokenForm(writtenWords(text)[0] ?? '');
}

/** In place of the first replaced segment; otherwise before the open segments that follow in the audio. */
function placeOf(
  segments: readonly SpeechSegment[],
  [first]: readonly SpeechSegment[],
  { isFinal, endMs }: SpeechRevision,
): number {
  if (first !== undefined) return segments.indexOf(first);
  const following = segments.findIndex(({ state, startMs }) => isFinal && state === 'open' && startMs >= endMs);
  return following < 0 ? segments.length : following;
}

/** Their open words were withdrawn; committed ones stay. */
function withoutOpenWords(
  segments: readonly SpeechSegment[],
  withdrawn: readonly SpeechSegment[],
): readonly SpeechSegment[] {
  return segments.flatMap((segment): readonly SpeechSegment[] => {
    if (segment.state === 'final' || !withdrawn.includes(segment)) return [segment];
    const words = writtenWords(segment.text).slice(0, committedCount(segment));
    return words.length === 0 ? [] : [{ ...segment, state: 'final', text: words.join(' '), words: [] }];
  });
}

/** The segment with its new text, and the earlier words that a revision for a part of them does not cover. */
function revisedSegments(
  { segmentCount, committed }: SpeechTimeline,
  replaced: readonly SpeechSegment[],
  revision: SpeechRevision,
  hearing: Hearing,
): readonly SpeechSegment[] {
  const words = writtenWords(revision.text);
  const earlier = earlierWords(replaced);
  const whole = alignWords(earlier.words, words);
  const { covered } = whole;
  const isPart = covered < earlier.words.length && revisesPart(earlier, revision, words);
  const claims = replaced.flatMap((segment) => segment.claims);
  const [covering, uncovered] = splitClaims(claims, isPart ? covered : earlier.words.length);
  const { counterparts } = isPart ? alignWords(earlier.words.slice(0, covered), words) : whole;
  const { text, startMs, endMs, words: times } = revision;
  const revised: SpeechSegment = {
    number: replaced[0]?.number ?? segmentCount + 1,
    revision: 1 + Math.max(0, ...replaced.map((segment) => segment.revision)),
    state: revision.isFinal ? 'final' : 'open',
    text: text.trim(),
    startMs,
    endMs,
    words: times,
    claims: movedClaims(covering, counterparts, uncovered.length > 0 ? words.length : null),
  };
  // Words that were counted for the open turn stay there.
  const hadOpenWords = replaced.some((segment) => openWords(segment).length > 0);
  const first = hadOpenWords ? revised : withLateWords(revised, revision, committed, hearing);
  const rest = [...(isPart ? earlier.words.slice(covered) : []), ...openRest(replaced, revision)];
  if (rest.length === 0) return [first];
  const restSegment: SpeechSegment = {
    number: segmentCount + 2,
    revision: 1,
    state: earlier.areLost ? 'lost' : 'open',
    text: rest.join(' '),
    startMs: Math.min(revision.endMs, earlier.endMs),
    endMs: earlier.endMs,
    words: [],
    claims: uncovered,
  };
  return [first, restSegment];
}

/**
 * Open words of an interim that were spoken after the audio of its final: they belong to the next one. Only word times show them.
 */
function openRest(replaced: readonly SpeechSegment[], revision: SpeechRevision): readonly string[] {
  if (!revision.isFinal) return [];
  const coveredMs = coveredUntilMs(revision);
  return replaced.flatMap((segment) => {
    const open = openWords(segment);
    const times = segment.words.slice(committedCount(segment));
    if (segment.state !== 'open' || times.length !== open.length) return [];
    const firstAfter = times.findIndex(({ startMs, endMs }) => (startMs + endMs) / 2 >= coveredMs);
    // Times shift: words that the final repeats are covered.
    const { covered } = alignWords(open, writtenWords(revision.text));
    return firstAfter < 0 ? [] : open.slice(Math.max(firstAfter, covered));
  });
}

interface EarlierWords {
  readonly words: readonly string[];
  readonly endMs: number;
  /** The segments are those of a lost stream: its successor begins with their first words again. */
  readonly areLost: boolean;
}

/** The words that stay until a revision covers them: committed ones, and those of a lost stream. */
function earlierWords(replaced: readonly SpeechSegment[]): EarlierWords {
  const areLost = replaced.some(({ state }) => state === 'lost');
  const words = replaced.flatMap((segment) =>
    writtenWords(segment.text).slice(0, areLost ? undefined : committedCount(segment)),
  );
  return { words, endMs: Math.max(0, ...replaced.map(({ endMs }) => endMs)), areLost };
}

/** Whether the rest of the earlier words will follow: for finals by their times, for interims of a new stream also by text. */
function revisesPart(
  { words, endMs, areLost }: EarlierWords,
  revision: SpeechRevision,
  newer: readonly string[],
): boolean {
  const endsBefore = revision.endMs + PART_MS_MIN < endMs;
  if (revision.isFinal || !areLost) return revision.isFinal && endsBefore;
  return endsBefore || newer.every((word, index) => spokenForm(word) === spokenForm(words[index] ?? ''));
}

/** Splits claims at a number of words. */
function splitClaims(
  claims: readonly SpeechClaim[],
  count: number,
): readonly [readonly SpeechClaim[], readonly SpeechClaim[]] {
  const before: SpeechClaim[] = [];
  const after: SpeechClaim[] = [];
  let left = count;
  for (const { entry, words } of claims) {
    const taken = Math.min(left, words);
    left -= taken;
    if (taken > 0) before.push({ entry, words: taken });
    if (words > taken) after.push({ entry, words: words - taken });
  }
  return [before, after];
}

/** @param endAt where the last claim ends; null: at its counterpart */
function movedClaims(
  claims: readonly SpeechClaim[],
  counterparts: readonly number[],
  endAt: number | null,
): readonly SpeechClaim[] {
  let earlier = 0;
  let from = 0;
  return claims.flatMap(({ entry, words }, index) => {
    earlier += words;
    const until = index === claims.length - 1 && endAt !== null ? endAt : (counterparts[earlier] ?? from);
    const moved = { entry, words: until - from };
    from = until;
    return moved.words > 0 ? [moved] : [];
  });
}
