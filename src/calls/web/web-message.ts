import { z } from 'zod';
import type { EndReason } from '../../../engine/ports/end-reason.ts';
import type { JournalEntry } from '../../../engine/ports/journal.ts';
import type { MediaEvent } from '../../../engine/ports/media.ts';
import { transcriptAnswer, transcriptRecord } from '../../storage/calls/transcript-record.ts';

/** What a web call's connection tells beside the agent's voice; one JSON text frame each. */
export type WebMessage =
  /** First on each connection. `resume_token` opens the next one, in the place of `token`, should this one be lost. */
  | {
      readonly type: 'connected';
      readonly call_id: string;
      readonly resume_token: string;
      readonly resume_seconds: number;
    }
  /** An entry of the transcript as `GET /v1/calls/{id}` has it; one with a `sequence` told before replaces that one. */
  | { readonly type: 'transcript'; readonly entry: ReturnType<typeof transcriptAnswer> }
  /** The agent's states by name; `from` is null at the start. */
  | { readonly type: 'state'; readonly from: string | null; readonly to: string }
  /** What was received and has not been played is not to be heard any more. */
  | { readonly type: 'clear' }
  /** Stands in the stream where a segment of the agent's speech begins or ends. */
  | {
      readonly type: 'mark';
      readonly name: 'segment_started' | 'segment_ended';
      readonly utterance: number;
      readonly segment: number;
    }
  /** The last message; the connection is closed behind it. */
  | { readonly type: 'ended'; readonly end_reason: EndReason };

const clientMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('dtmf'), digit: z.string().regex(/^[0-9*#A-D]$/) }),
  z.strictObject({ type: z.literal('hangup') }),
]);

/** What a caller's page may say. */
export type ClientMessage = z.output<typeof clientMessageSchema>;

/** Null for what is none of them. */
export function readClientMessage(text: string): ClientMessage | null {
  try {
    return clientMessageSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** What a caller's page is told of a journal entry; null: nothing. `startedWallMs`: the wall clock at engine time 0. */
export function messageOfEntry(entry: JournalEntry, startedWallMs: number): WebMessage | null {
  switch (entry.type) {
    case 'transcript':
      return { type: 'transcript', entry: transcriptAnswer(transcriptRecord(entry.entry, startedWallMs)) };
    case 'state':
      return { type: 'state', from: entry.from, to: entry.to };
    case 'ended':
      return { type: 'ended', end_reason: entry.reason };
    case 'variable':
    case 'variables_resolved':
    case 'tool_called':
    case 'transfer':
    case 'answer_type':
    case 'turn_metrics':
      return null;
  }
}

/** What a caller's page is told of a media event; null: nothing. */
export function messageOfMedia(event: MediaEvent): WebMessage | null {
  if (event.type !== 'segment_started' && event.type !== 'segment_ended') return null;
  return { type: 'mark', name: event.type, utterance: event.utterance, segment: event.segment };
}
