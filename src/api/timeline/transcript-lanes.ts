import type { TurnRecord } from '../../../engine/ports/turn-record.ts';
import type { TranscriptRecord } from '../../storage/calls/transcript-record.ts';
import type { JsonObject } from '../../storage/schema/json-object.ts';
import { turnAnswer } from '../calls/turn-answer.ts';
import type { Axis } from './axis.ts';

/** The lanes that come from the transcript and the turn records of a call. */
export function transcriptLanes(transcript: readonly TranscriptRecord[], turns: readonly TurnRecord[], axis: Axis) {
  const responses = new Map(
    transcript.filter(({ role }) => role === 'tool_response').map((entry) => [entry.fields.tool_call_id, entry]),
  );
  return {
    speech: transcript.flatMap((entry) => speech(entry, axis)),
    tools: transcript.flatMap((entry) =>
      entry.role === 'tool_call' ? [tool(entry, responses.get(entry.fields.tool_call_id), axis)] : [],
    ),
    dtmf: transcript.flatMap((entry) =>
      entry.role === 'dtmf' ? [{ ...interval(entry, axis), digits: entry.content }] : [],
    ),
    turns: turns.map((record) => turn(record, axis)),
    fillers: turns.flatMap(({ fillersMs, startUs, turn: number }) =>
      fillersMs.map((ms) => ({ start_ms: axis(startUs + ms * 1_000), turn: number })),
    ),
  };
}

function interval({ endUs, startUs }: TranscriptRecord, axis: Axis) {
  return { start_ms: axis(startUs), end_ms: endUs === null ? null : axis(endUs) };
}

function speech(entry: TranscriptRecord, axis: Axis) {
  const { content, fields, role, sequence } = entry;
  if (role !== 'user' && role !== 'agent') return [];
  const generated = textOf(fields, 'generated_content');
  const interrupted = fields.interrupted === true;
  return [{ ...interval(entry, axis), role, sequence, content, generated_content: generated, interrupted }];
}

function tool(call: TranscriptRecord, response: TranscriptRecord | undefined, axis: Axis) {
  const { arguments: given, http_status: httpStatus, successful } = { ...call.fields, ...response?.fields };
  return {
    start_ms: axis(call.startUs),
    end_ms: response === undefined ? null : axis(response.endUs ?? response.startUs),
    tool_call_id: textOf(call.fields, 'tool_call_id') ?? '',
    name: textOf(call.fields, 'name') ?? '',
    type: textOf(call.fields, 'type') ?? '',
    arguments: isObject(given) ? { ...given } : {},
    result: response?.content ?? null,
    successful: typeof successful === 'boolean' ? successful : null,
    http_status: typeof httpStatus === 'number' ? httpStatus : null,
  };
}

/** Up to the first packet of the answer, or to the last stage that the turn reached. */
function turn(record: TurnRecord, axis: Axis) {
  const { answerHeardMs, firstAudioMs, firstTokenMs, heardMs, startUs, user } = record;
  const lastMs = answerHeardMs ?? heardMs ?? firstAudioMs ?? firstTokenMs ?? user?.endedMs ?? 0;
  return {
    start_ms: axis(startUs),
    end_ms: axis(startUs + Math.max(0, lastMs) * 1_000),
    record: turnAnswer(record),
  };
}

function textOf(fields: JsonObject, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' ? value : null;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
