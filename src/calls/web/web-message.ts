import { z } from 'zod';
import type { EndReason } from '../../../engine/ports/end-reason.ts';
import type { JournalEntry } from '../../../engine/ports/journal.ts';
import type { MediaEvent } from '../../../engine/ports/media.ts';
import { transcriptAnswer, transcriptRecord } from '../../storage/calls/transcript-record.ts';

/** Messages to the browser, beside the audio. One JSON text frame each. */
export type WebMessage =
  /** First message of each connection. `resume_token` replaces `token` for reconnecting. */
  | {
      readonly type: 'connected';
      readonly call_id: string;
      readonly resume_token: string;
      readonly resume_seconds: number;
    }
  /** A transcript entry as in `GET /v1/calls/{id}`. It replaces an earlier one with the same `sequence`. */
  | { readonly type: 'transcript'; readonly entry: ReturnType<typeof transcriptAnswer> }
  /** State change by name. `from` is null for the initial state. */
  | { readonly type: 'state'; readonly from: string | null; readonly to: string }
  /** Received audio that is not played yet must be discarded. */
  | { readonly type: 'clear' }
  /** Position in the stream where a segment of agent speech starts or ends. */
  | {
      readonly type: 'mark';
      readonly name: 'segment_started' | 'segment_ended';
      readonly utterance: number;
      readonly segment: number;
    }
  /** The last message before the connection is closed. */
  | { readonly type: 'ended'; readonly end_reason: EndReason };

/** Longer than one spoken turn, and within the payload of one message. */
const TYPED_TEXT_LENGTH_MAX = 1_000;

const clientMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('dtmf'), digit: z.string().regex(/^[0-9*#A-D]$/) }),
  z.strictObject({ type: z.literal('text'), text: z.string().trim().min(1).max(TYPED_TEXT_LENGTH_MAX) }),
  z.strictObject({ type: z.literal('hangup') }),
]);

/** Messages from the browser. */
export type ClientMessage = z.output<typeof clientMessageSchema>;

/** null: unknown message. */
export function readClientMessage(text: string): ClientMessage | null {
  try {
    return clientMessageSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** The message for a journal entry. null: none. `startedWallMs`: wall clock at engine time 0. */
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
    case 'consent':
    case 'turn':
      return null;
  }
}

/** The message for a media event. null: none. */
export function messageOfMedia(event: MediaEvent): WebMessage | null {
  if (event.type !== 'segment_started' && event.type !== 'segment_ended') return null;
  return { type: 'mark', name: event.type, utterance: event.utterance, segment: event.segment };
}
