import type { CallSpan, SpansEntry } from '../../../engine/timeline/call-span.ts';

/** Spans with their errors redacted: a provider may repeat its input in an error. */
export function redactedSpans(entry: SpansEntry, redact: (text: string) => string): SpansEntry {
  return { ...entry, spans: entry.spans.map((span) => redactedSpan(span, redact)) };
}

function redactedSpan(span: CallSpan, redact: (text: string) => string): CallSpan {
  if (!('error' in span)) return span;
  return span.error === null ? span : { ...span, error: redact(span.error) };
}
