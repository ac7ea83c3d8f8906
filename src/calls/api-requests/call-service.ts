import type { AgentOverrides } from '../../../engine/agent/agent-overrides.ts';
import type { JsonValue } from '../../../engine/agent/json-value.ts';
import type { LiveRequest } from '../../../engine/core/event.ts';
import type { PostOutcome } from '../../cluster/node.ts';
import type { IdempotentRequest } from '../../storage/access/idempotency-repository.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';

/**
 * The requests that the API may make of calls. The API validates, checks that agent, numbers and calls belong to the organization, and
 * reads records by itself. Everything that starts, changes or ends a call goes through here.
 */
export interface CallService {
  /** Stores the call as `initiated` and starts to prepare it. Throws a `CallRefusedError`. */
  stage(request: StageRequest): Promise<StagedCall>;
  /** Stores the call as `created` and starts to dial. Throws a `CallRefusedError`. */
  startPhoneCall(request: PhoneCallRequest): Promise<{ readonly callId: string }>;
  /** Stores the call as `initiated` and starts to prepare it. Once `staged` it waits for its caller. Throws a `CallRefusedError`. */
  startWebCall(request: CallRequest): Promise<StartedWebCall>;
  /**
   * Ends a phone call in any state; does nothing for one that has ended. Resolves once it has ended, after ten seconds at most. False: its
   * node did not end it, so it may go on.
   */
  terminate(callId: string): Promise<boolean>;
  /** Passes a request to a call in progress, on any node. */
  post(call: CallRecord, request: LiveRequest): Promise<PostOutcome>;
}

/** Common to all calls. */
export interface CallRequest {
  readonly organizationId: string;
  readonly agentId: string;
  /** The active version at the time of the request; the call keeps it. */
  readonly agentVersion: number;
  readonly dynamicVariables: { readonly [name: string]: JsonValue };
  /** The fields that the call replaces in that version; null: none. */
  readonly agentOverrides: AgentOverrides | null;
  /** See `CallRecord`. Absent: null. */
  readonly traceparent?: string | null;
}

export interface StageRequest extends CallRequest {
  /** E.164. */
  readonly fromNumber: string;
  /** E.164. */
  readonly toNumber: string;
  /** Stored with the call, so that it is not created twice; null for a request without a key. */
  readonly idempotent: IdempotentRequest | null;
}

export interface PhoneCallRequest extends StageRequest {
  /** The trunk of `fromNumber`; null if the number has none. */
  readonly trunkId: string | null;
  /** They have passed the filter of custom headers. */
  readonly customHeaders: { readonly [name: string]: string };
}

export interface StagedCall {
  readonly callId: string;
  /** Resolves once preparation has succeeded or failed; never rejects. The runtime bounds it. */
  readonly ready: Promise<StagingOutcome>;
}

export interface StartedWebCall extends StagedCall {
  /** Opens the call's media, once, while it is staged. Never stored. */
  readonly token: string;
}

export type StagingOutcome = { readonly type: 'staged' } | { readonly type: 'failed'; readonly message: string };

/**
 * Why a request was refused. `draining`, `overloaded` and `organization_limit` may succeed later. The others are errors of the request:
 * `no_trunk` of `from_number`, `destination_refused` of `to_number`, `to_header_refused` of the custom header To.
 */
export type CallRefusal =
  | 'draining'
  | 'overloaded'
  | 'organization_limit'
  | 'no_trunk'
  | 'destination_refused'
  | 'to_header_refused';

export class CallRefusedError extends Error {
  readonly refusal: CallRefusal;

  constructor(refusal: CallRefusal, message: string) {
    super(message);
    this.name = 'CallRefusedError';
    this.refusal = refusal;
  }
}
