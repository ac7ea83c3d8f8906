import type { TranscriptEntry } from '../../generated/client.ts';

/** The messages of a web call that the page acts on. `POST /v1/calls/web` documents them. */
export type WebCallMessage =
  | {
      readonly type: 'connected';
      readonly callId: string;
      readonly resumeToken: string;
      readonly resumeSeconds: number;
    }
  | { readonly type: 'transcript'; readonly entry: TranscriptEntry }
  | { readonly type: 'state'; readonly to: string }
  | { readonly type: 'clear' }
  | { readonly type: 'ended'; readonly endReason: string };

/** null: a message that the page does not know. */
export function readWebCallMessage(text: string): WebCallMessage | null {
  const message = parsed(text);
  switch (fieldOf(message, 'type')) {
    case 'connected':
      return {
        type: 'connected',
        callId: String(fieldOf(message, 'call_id')),
        resumeToken: String(fieldOf(message, 'resume_token')),
        resumeSeconds: Number(fieldOf(message, 'resume_seconds')),
      };
    case 'transcript': {
      const entry = fieldOf(message, 'entry');
      return isEntry(entry) ? { type: 'transcript', entry } : null;
    }
    case 'state':
      return { type: 'state', to: String(fieldOf(message, 'to')) };
    case 'clear':
      return { type: 'clear' };
    case 'ended':
      return { type: 'ended', endReason: String(fieldOf(message, 'end_reason')) };
    default:
      return null;
  }
}

/** The service sends entries as `GET /v1/calls/{id}` returns them. */
function isEntry(value: unknown): value is TranscriptEntry {
  return typeof fieldOf(value, 'sequence') === 'number' && typeof fieldOf(value, 'role') === 'string';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
