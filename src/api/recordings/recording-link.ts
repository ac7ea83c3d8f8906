import { timingSafeEqual } from 'node:crypto';
import type { Secrets } from '../../secrets/secrets.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';

/** How long a signed link to a protected recording works, ms. */
const LINK_LIFETIME_MS = 60 * 60 * 1_000;

/** What the query of a recording's URL may carry instead of an API key. */
export interface RecordingQuery {
  readonly token?: string | undefined;
  readonly expires?: number | undefined;
  readonly signature?: string | undefined;
}

/**
 * The URL of a call's recording. Of a protected one it is signed and expires; else it holds the call's token, which cannot be
 * guessed, and works for as long as the recording exists.
 */
export function recordingLink(call: CallRecord, publicUrl: string, secrets: Secrets, nowMs: number): string {
  const url = `${publicUrl}/v1/calls/${call.id}/recording`;
  if (!call.secureRecording) return `${url}?token=${call.recordingToken}`;
  const expires = nowMs + LINK_LIFETIME_MS;
  return `${url}?expires=${expires}&signature=${secrets.sign(signedText(call.id, expires))}`;
}

/** Whether the query alone opens the recording. */
export function opensRecording(call: CallRecord, query: RecordingQuery, secrets: Secrets, nowMs: number): boolean {
  const { token, expires, signature } = query;
  if (!call.secureRecording) return token !== undefined && equal(token, call.recordingToken);
  if (expires === undefined || signature === undefined || expires <= nowMs) return false;
  return equal(signature, secrets.sign(signedText(call.id, expires)));
}

function signedText(callId: string, expires: number): string {
  return `recording ${callId} ${expires}`;
}

function equal(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
