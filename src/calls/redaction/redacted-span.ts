import type { CallSpan } from '../../../engine/timeline/call-span.ts';

/** A span with its error redacted: a provider may repeat its input in an error. */
export function redactedSpan(span: CallSpan, redact: (text: string) => string): CallSpan {
  if (!('error' in span)) return span;
  return span.error === null ? span : { ...span, error: redact(span.error) };
}
