import { timingSafeEqual } from 'node:crypto';
import type { Secrets } from '../../secrets/secrets.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';

/** Query of a recording URL, which replaces the API key. */
export interface RecordingQuery {
  readonly token?: string | undefined;
  readonly expires?: number | undefined;
  readonly signature?: string | undefined;
}

/**
 * The URL of a recording. A protected URL is signed and expires at `expiresMs`. Any other URL contains an unguessable token and
 * works as long as the recording exists.
 */
export function recordingLink(call: CallRecord, publicUrl: string, secrets: Secrets, expiresMs: number): string {
  const url = `${publicUrl}/v1/calls/${call.id}/recording`;
  if (!call.secureRecording) return `${url}?token=${call.recordingToken}`;
  return `${url}?expires=${expiresMs}&signature=${secrets.sign(signedText(call.id, expiresMs))}`;
}

/** Whether the query grants access without an API key. */
export function opensRecording(call: CallRecord, query: RecordingQuery, secrets: Secrets, nowMs: number): boolean {
  const { token, expires, signature } = query;
  if (!call.secureRecording) return token !== undefined && equal(token, call.recordingToken);
  if (expires === undefined || signature === undefined || expires <= nowMs) return false;
  return secrets.isSignature(signedText(call.id, expires), signature);
}

function signedText(callId: string, expires: number): string {
  return `recording ${callId} ${expires}`;
}

function equal(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
