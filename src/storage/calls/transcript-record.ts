import { PAUSE_REQUESTERS, type TranscriptEntry, type TranscriptPart } from '../../../engine/ports/journal.ts';
import type { JsonObject } from '../schema/json-object.ts';

/** A stored transcript entry. Times are µs since 1970; `fields` holds the fields of its role, named as in the API. */
export interface TranscriptRecord {
  readonly sequence: number;
  readonly role: TranscriptEntry['role'];
  readonly startUs: number;
  readonly endUs: number | null;
  readonly content: string;
  readonly fields: JsonObject;
}

/** `startedWallMs` is the wall clock at the call's engine time 0. */
export function transcriptRecord(entry: TranscriptEntry, startedWallMs: number): TranscriptRecord {
  const startedUs = startedWallMs * 1_000;
  return {
    sequence: entry.sequence,
    role: entry.role,
    startUs: startedUs + entry.startUs,
    endUs: entry.endUs === null ? null : startedUs + entry.endUs,
    content: entry.content,
    fields: roleFields(entry, startedUs),
  };
}

/** In the form of the API and of webhooks. */
export function transcriptAnswer(record: TranscriptRecord) {
  return {
    role: record.role,
    sequence: record.sequence,
    start_time: isoTime(record.startUs),
    end_time: record.endUs === null ? null : isoTime(record.endUs),
    content: record.content,
    ...record.fields,
  };
}

/** The pauses of the recording in a transcript, in the form of the API and of webhooks. */
export function recordingPauses(transcript: readonly TranscriptRecord[]) {
  return transcript
    .filter(({ role }) => role === 'recording_pause')
    .map(({ endUs, fields, startUs }) => ({
      start_time: isoTime(startUs),
      end_time: endUs === null ? null : isoTime(endUs),
      requested_by: PAUSE_REQUESTERS.find((one) => one === fields.requested_by) ?? 'api',
    }));
}

function isoTime(timeUs: number): string {
  return new Date(timeUs / 1_000).toISOString();
}

function roleFields(entry: TranscriptEntry, startedUs: number): JsonObject {
  switch (entry.role) {
    case 'user':
      return entry.parts === undefined ? {} : { parts: entry.parts.map((part) => partFields(part, startedUs)) };
    case 'dtmf':
      return {};
    case 'agent':
      return {
        interrupted: entry.interrupted,
        ...(entry.generatedContent !== undefined && { generated_content: entry.generatedContent }),
      };
    case 'tool_call':
      return { tool_call_id: entry.toolCallId, name: entry.name, type: entry.toolType, arguments: entry.arguments };
    case 'tool_response':
      return {
        tool_call_id: entry.toolCallId,
        name: entry.name,
        successful: entry.successful,
        http_status: entry.httpStatus ?? null,
      };
    case 'state_transition':
      return { from: entry.from, to: entry.to, condition: entry.condition };
    case 'recording_pause':
      return { requested_by: entry.requestedBy };
  }
}

function partFields({ startUs, endUs, content }: TranscriptPart, startedUs: number): JsonObject {
  return { start_time: isoTime(startedUs + startUs), end_time: isoTime(startedUs + endUs), content };
}
