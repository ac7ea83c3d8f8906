import type { TranscriptEntry } from '../generated/client.ts';

/** The text of the model that the user did not hear. */
export function unheardText(entry: TranscriptEntry): string {
  const generated = 'generated_content' in entry ? entry.generated_content : undefined;
  if (typeof generated !== 'string' || !generated.startsWith(entry.content)) return '';
  return generated.slice(entry.content.length).trim();
}
