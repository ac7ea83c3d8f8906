import type { JsonValue } from '../agent/json-value.ts';
import type { CallParameters } from '../core/call-parameters.ts';
import type { CallEvent, InboxRecord } from '../core/event.ts';
import type { EndReason } from '../ports/end-reason.ts';
import type { TranscriptEntry } from '../ports/journal.ts';
import type { CallPorts } from './call-ports.ts';
import type { CompiledAgent } from './machine/compile-agent.ts';

export interface CallOptions {
  /** Made once an agent version by `compileAgent`, and shared by its calls. */
  readonly compiled: CompiledAgent;
  readonly parameters: CallParameters;
  readonly ports: CallPorts;
  /** Given every entry of the inbox, in order, with the commands it led to. */
  readonly tape?: (entry: InboxRecord) => void;
  /** `call.offered`, for every live call. */
  readonly firstEvent: CallEvent;
}

export interface CallHandle {
  /** Puts an event into the inbox. Ignored once the call has ended. */
  post(event: CallEvent): void;
  view(): CallView;
  /** Resolves once, after the last command (`call.close`) was carried out; it never rejects. */
  readonly ended: Promise<EndReason>;
}

/** The call as the API shows it, at this moment. */
export interface CallView {
  readonly lifecycle: 'offered' | 'answering' | 'talking' | 'bridged' | 'ending' | 'ended';
  readonly agentState:
    | 'initializing'
    | 'listening'
    | 'userSpeaking'
    | 'machineSpeaking'
    | 'thinking'
    | 'speaking'
    | 'paused'
    | 'transferring'
    | 'over';
  /** The agent's own name of the state. */
  readonly state: string;
  readonly answeredUs: number | null;
  readonly endReason: EndReason | null;
  readonly transcript: readonly TranscriptEntry[];
  readonly variables: readonly { readonly name: string; readonly type: string; readonly value: JsonValue }[];
}
