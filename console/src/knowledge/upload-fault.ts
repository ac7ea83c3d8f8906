import { ApiFailure } from '../api/api-failure.ts';
import type { Messages } from '../i18n/en.ts';
import { errorText } from '../ui/error-text.ts';

/** What the service takes: its own limits, which it checks again. */
const FILES_MAX = 20;
const FILE_BYTES_MAX = 20_971_520;
const SOURCES_MAX = 200;
/** Bytes in which PDF readers search for the file signature (PDF 1.7, annex H, note 13). */
const PDF_MARK_WITHIN = 1_024;

/** Why the service would refuse the sources, before they are sent. null: it would not. */
export async function uploadFault(
  files: readonly File[],
  hasText: boolean,
  { knowledge: text }: Pick<Messages, 'knowledge'>,
): Promise<string | null> {
  if (files.length === 0 && !hasText) return text.faults.nothing;
  if (files.length > FILES_MAX) return text.faults.tooMany(FILES_MAX);
  for (const file of files) {
    if (file.size === 0) return text.faults.empty(file.name);
    if (file.size > FILE_BYTES_MAX) return text.faults.tooLarge(file.name);
    if (!(await file.slice(0, PDF_MARK_WITHIN).text()).includes('%PDF-')) return text.faults.noPdf(file.name);
  }
  return null;
}

/** Why the service refused the sources. Its own message names the fields of the API. */
export function refusedUpload(error: Error, messages: Messages): string {
  const { faults } = messages.knowledge;
  if (!(error instanceof ApiFailure)) return errorText(error, messages);
  switch (error.status) {
    case 413:
      return faults.tooMuch;
    case 422:
      if (error.details.some(({ field }) => field === 'file_sources')) return faults.full(SOURCES_MAX);
      return error.details.map(({ message }) => message).join(' ');
    case 429:
      return faults.waiting;
    case 503:
      return faults.unavailable;
    default:
      return errorText(error, messages);
  }
}
