import type { TranscriptEntry } from '../../../engine/ports/journal.ts';
import { silenceText } from '../../../engine/timeline/silence-text.ts';
import { silencesOf } from '../../../engine/timeline/silences.ts';
import type { TimelineInput } from '../../../engine/timeline/timeline-input.ts';

/** Characters of a transcript entry that are shown. */
const CONTENT_LENGTH_MAX = 100;

/** `name`: of a tool; `to`: the state that was entered. */
export interface TimelineEntry extends Pick<TranscriptEntry, 'content' | 'role' | 'startUs'> {
  readonly name?: string;
  readonly to?: string;
}

/** What was said in a call, with each silence in its place. Times since `startUs`. */
export function silenceLines(
  input: TimelineInput,
  transcript: readonly TimelineEntry[],
  startUs: number,
): readonly string[] {
  const said = transcript.map((entry) => ({ atUs: entry.startUs, text: entryText(entry) }));
  const silences = silencesOf(input).map((silence) => ({ atUs: silence.fromUs, text: `  … ${silenceText(silence)}` }));
  const lines = [...said, ...silences]
    .toSorted((a, b) => a.atUs - b.atUs)
    .map(({ atUs, text }) => `${((atUs - startUs) / 1e6).toFixed(2).padStart(8)} s  ${text}`);
  return [...lines, silences.length === 0 ? 'no silence of more than a second' : `silences: ${silences.length}`];
}

function entryText({ content, name, role, to }: TimelineEntry): string {
  return [`${role}:`, name ?? to, shortened(content)].filter((part) => part !== undefined && part !== '').join(' ');
}

function shortened(content: string): string {
  return content.length <= CONTENT_LENGTH_MAX ? content : `${content.slice(0, CONTENT_LENGTH_MAX)}…`;
}
