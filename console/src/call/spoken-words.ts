import type { TranscriptEntry } from '../generated/client.ts';
import type { AxisStretch } from './time-axis.ts';

export interface PlacedWord {
  /** The word with the space behind it. */
  readonly text: string;
  /** Estimate, ms since the answer: the API has the times of entries, so their letters are taken as equally long. */
  readonly atMs: number;
}

/** The words of an entry with estimated times. */
export function spokenWords(content: string, { startMs, endMs }: AxisStretch): readonly PlacedWord[] {
  return Array.from(content.matchAll(/\S+\s*/g), ({ 0: text, index }) => ({
    text,
    atMs: Math.round(startMs + ((endMs - startMs) * index) / Math.max(1, content.length)),
  }));
}

/** What the model wrote and the user did not hear. */
export function unheardText(entry: TranscriptEntry): string {
  const generated = 'generated_content' in entry ? entry.generated_content : undefined;
  if (typeof generated !== 'string' || !generated.startsWith(entry.content)) return '';
  return generated.slice(entry.content.length).trim();
}
