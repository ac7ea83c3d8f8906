import type { SpeechSegment, SpeechTimeline } from '../core/state/speech-timeline.ts';
import { committedCount } from './commit-mark.ts';
import { writtenWords } from './speech-words.ts';

/** A pause of this length within a turn begins another part, in ms. Word times have gaps of 0.3 s without one. */
const PART_PAUSE_MS = 500;

/** The user's words between two pauses. `…Ms`: position in the user's audio. */
export interface SpeechPart {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

/**
 * The parts of the words of one transcript entry.
 *
 * @param entry its sequence; null: the words after the commit mark
 */
export function speechParts(
  { segments }: Pick<SpeechTimeline, 'segments'>,
  entry: number | null,
): readonly SpeechPart[] {
  const parts: SpeechPart[] = [];
  for (const stretch of speechStretches({ segments }, entry)) {
    const last = parts.at(-1);
    if (last === undefined || stretch.startMs - last.endMs >= PART_PAUSE_MS) parts.push(stretch);
    else {
      const endMs = Math.max(last.endMs, stretch.endMs);
      parts[parts.length - 1] = { ...last, endMs, text: `${last.text} ${stretch.text}` };
    }
  }
  return parts;
}

/** The words of one transcript entry, one by one if they have times. `entry` as in `speechParts`. */
export function speechStretches(
  { segments }: Pick<SpeechTimeline, 'segments'>,
  entry: number | null,
): readonly SpeechPart[] {
  return segments.flatMap((segment) => stretchesOf(segment, entry));
}

function stretchesOf(segment: SpeechSegment, entry: number | null): readonly SpeechPart[] {
  const written = writtenWords(segment.text);
  const { words } = segment;
  return rangesOf(segment, written.length, entry).flatMap(({ from, until }) => {
    if (words.length === written.length)
      return words
        .slice(from, until)
        .map(({ startMs, endMs }, at) => ({ startMs, endMs, text: written[from + at] ?? '' }));
    const atMs = (count: number) =>
      segment.startMs + ((segment.endMs - segment.startMs) * count) / Math.max(1, written.length);
    return [{ startMs: atMs(from), endMs: atMs(until), text: written.slice(from, until).join(' ') }];
  });
}

interface WordRange {
  readonly from: number;
  readonly until: number;
}

function rangesOf(segment: SpeechSegment, count: number, entry: number | null): readonly WordRange[] {
  if (entry === null) {
    const from = committedCount(segment);
    return from < count ? [{ from, until: count }] : [];
  }
  let until = 0;
  return segment.claims.flatMap((claim) => {
    const from = until;
    until += claim.words;
    return claim.entry === entry && from < count ? [{ from, until: Math.min(until, count) }] : [];
  });
}
