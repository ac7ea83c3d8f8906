import type { EngineNotice } from '../../../engine/core/notice.ts';

/** A notice of the engine with its texts redacted: a provider may repeat its input in an error. */
export function redactedNotice(notice: EngineNotice, redact: (text: string) => string): EngineNotice {
  if ('error' in notice) return { ...notice, error: redact(notice.error) };
  if ('detail' in notice) return { ...notice, detail: redact(notice.detail) };
  return notice;
}
