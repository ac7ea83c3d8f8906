import { expect, it } from 'vitest';
import type { EngineNotice } from '../../../../engine/core/notice.ts';
import type { CallSpan } from '../../../../engine/timeline/call-span.ts';
import { CallRedactor } from '../../../../src/calls/redaction/call-redactor.ts';
import { redactedNotice } from '../../../../src/calls/redaction/redacted-notice.ts';
import { redactedSpan } from '../../../../src/calls/redaction/redacted-span.ts';

/** Providers repeat what they were sent. */
const REPEATED = 'invalid input «4111 1111 1111 1111»';
const REDACTED = 'invalid input «[card]»';
const redactor = new CallRedactor({ entities: ['card'], language: 'en' });
const redact = (text: string) => redactor.text(text);

const NOTICES: readonly EngineNotice[] = [
  { type: 'provider_failed', kind: 'language_model', provider: 'p', error: REPEATED },
  { type: 'provider_failed_over', kind: 'voice', from: 'p', to: 'q', error: REPEATED },
  { type: 'turn_failed', reason: 'llm_error', detail: REPEATED },
  { type: 'call_failed', reason: 'llm_error', detail: REPEATED },
  { type: 'summary_failed', error: REPEATED },
  { type: 'extraction_failed', error: REPEATED },
  { type: 'rule_failed', error: REPEATED },
  { type: 'tape_write_failed', error: REPEATED },
  { type: 'port_failed', port: 'tools', error: REPEATED },
];

it.each(NOTICES)('a notice $type has no number that a provider repeats', (notice) => {
  const text = JSON.stringify(redactedNotice(notice, redact));
  expect(text).toContain(REDACTED);
  expect(text).not.toContain('4111');
});

const AT = { fromUs: 0, toUs: 1 };
const SPANS: readonly CallSpan[] = [
  { ...AT, type: 'model', outcome: 'failed', firstTokenUs: null, firstTextUs: null, error: REPEATED },
  { ...AT, type: 'voice', outcome: 'failed', error: REPEATED },
  { ...AT, type: 'transcriber_failure', error: REPEATED },
  { ...AT, type: 'provider_failure', kind: 'voice', provider: 'p', next: null, error: REPEATED },
];

it.each(SPANS)('a span $type has no number that a provider repeats', (span) => {
  const text = JSON.stringify(redactedSpan(span, redact));
  expect(text).toContain(REDACTED);
  expect(text).not.toContain('4111');
});
