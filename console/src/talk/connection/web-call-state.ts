import type { TranscriptEntry } from '../../generated/client.ts';
import type { MicrophoneFault } from '../audio/microphone-fault.ts';
import type { WebCallMessage } from './web-call-message.ts';

/** Entries that the page keeps: the longest call has fewer. */
const ENTRIES_MAX = 2_000;

export type Medium = 'microphone' | 'typing';

/** Why a call did not start, or ended. */
export type Ending =
  | { readonly type: 'ended'; readonly reason: string }
  | { readonly type: 'lost' }
  /** The service refused the connection, or is unreachable. */
  | { readonly type: 'refused' }
  | { readonly type: 'microphone'; readonly fault: MicrophoneFault }
  | { readonly type: 'failed'; readonly message: string };

export interface WebCallState {
  readonly phase: 'idle' | 'connecting' | 'connected' | 'reconnecting' | 'ended';
  readonly medium: Medium;
  /** null before the first connection. */
  readonly callId: string | null;
  readonly startedMs: number | null;
  readonly endedMs: number | null;
  readonly ending: Ending | null;
  readonly entries: readonly TranscriptEntry[];
  /** The agent's states that the call went through. */
  readonly path: readonly string[];
  readonly isMuted: boolean;
  /** Id of the microphone in use; null: none. */
  readonly deviceId: string | null;
}

export const NO_CALL: WebCallState = {
  phase: 'idle',
  medium: 'microphone',
  callId: null,
  startedMs: null,
  endedMs: null,
  ending: null,
  entries: [],
  path: [],
  isMuted: false,
  deviceId: null,
};

export function isCallRunning({ phase }: WebCallState): boolean {
  return phase === 'connecting' || phase === 'connected' || phase === 'reconnecting';
}

export function withMessage(state: WebCallState, message: WebCallMessage, nowMs: number): WebCallState {
  switch (message.type) {
    case 'connected':
      return { ...state, phase: 'connected', callId: message.callId, startedMs: state.startedMs ?? nowMs };
    case 'transcript':
      return { ...state, entries: withEntry(state.entries, message.entry) };
    case 'state':
      return { ...state, path: [...state.path, message.to].slice(-ENTRIES_MAX) };
    case 'ended':
      return { ...state, ending: { type: 'ended', reason: message.endReason } };
    case 'clear':
      return state;
  }
}

/** Replaces the entry with this sequence, or inserts it in order. */
function withEntry(entries: readonly TranscriptEntry[], entry: TranscriptEntry): readonly TranscriptEntry[] {
  const others = entries.filter(({ sequence }) => sequence !== entry.sequence);
  return [...others, entry].toSorted((one, other) => one.sequence - other.sequence).slice(-ENTRIES_MAX);
}
