import type { JsonValue } from '../agent/json-value.ts';
import type { CallEvent, InboxRecord } from '../core/event.ts';
import type { CallParameters } from '../core/state/call-parameters.ts';
import type { EndReason } from '../ports/end-reason.ts';
import type { TranscriptEntry } from '../ports/journal.ts';
import type { CallPorts } from './call-ports.ts';
import type { CompiledAgent } from './machine/compile-agent.ts';
import type { CallState } from './process-inbox-entry.ts';

export interface CallOptions {
  /** Made by `compileAgent`, once for each agent version; its calls share it. */
  readonly compiled: CompiledAgent;
  readonly parameters: CallParameters;
  readonly ports: CallPorts;
  /** Receives every inbox entry with its commands and the state of the call after it, in order, before the commands are carried out. */
  readonly tape?: (entry: InboxRecord, after: CallState) => void;
  /** `call.offered` in every live call. */
  readonly firstEvent: CallEvent;
}

export interface CallHandle {
  /** Adds an event to the inbox. Ignored after the end of the call. */
  post(event: CallEvent): void;
  view(): CallView;
  /** The two fields of `view` that cost little, for lists of many calls. */
  activity(): Pick<CallView, 'agentState' | 'state'>;
  /** Resolves after the last command (`call.close`) was executed; never rejects. */
  readonly ended: Promise<EndReason>;
}

/** The current state of the call for the API. */
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
  /** Name of the state in the agent's configuration. */
  readonly state: string;
  readonly answeredUs: number | null;
  readonly endReason: EndReason | null;
  readonly transcript: readonly TranscriptEntry[];
  readonly variables: readonly { readonly name: string; readonly type: string; readonly value: JsonValue }[];
}
