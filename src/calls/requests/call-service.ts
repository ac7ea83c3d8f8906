import type { LiveRequest } from '../../../engine/core/event.ts';
import type { JsonValue } from '../../../engine/ports/language-model.ts';
import type { PostOutcome } from '../../cluster/node.ts';
import type { IdempotentRequest } from '../../storage/access/idempotency-repository.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';

/**
 * What the API orders of the call runtime. The API validates, checks that agent, numbers and calls belong to the
 * organization, and reads records by itself; everything that makes a call happen goes through here.
 */
export interface CallService {
  /** Stores the call as `initiated` and starts to prepare it. Throws a `CallRefusedError`. */
  stage(request: StageRequest): Promise<StagedCall>;
  /** Stores the call as `created` and starts to dial. Throws a `CallRefusedError`. */
  startPhoneCall(order: PhoneCallRequest): Promise<{ readonly callId: string }>;
  /** Stores the call as `initiated` and starts to prepare it: `staged`, it waits for its caller. Throws a `CallRefusedError`. */
  startWebCall(order: CallRequest): Promise<StartedWebCall>;
  /** Ends a phone call whatever its state; does nothing for one that has ended. Resolves once its status says so. */
  terminate(callId: string): Promise<void>;
  /** Puts an order to the agent into a call in progress, on whichever node it is. */
  post(call: CallRecord, order: LiveRequest): Promise<PostOutcome>;
}

/** What every call is made of. */
export interface CallRequest {
  readonly organizationId: string;
  readonly agentId: string;
  /** The active version at the moment of the order: the call keeps it. */
  readonly agentVersion: number;
  readonly dynamicVariables: { readonly [name: string]: JsonValue };
}

export interface StageRequest extends CallRequest {
  /** E.164. */
  readonly fromNumber: string;
  /** E.164. */
  readonly toNumber: string;
  /** Stored with the call, so that it is not made twice; null: it was ordered without a key. */
  readonly idempotent: IdempotentRequest | null;
}

export interface PhoneCallRequest extends StageRequest {
  /** The trunk of `fromNumber`; null: the number has none, the service decides. */
  readonly trunkId: string | null;
  /** Already through the filter of custom headers. */
  readonly customHeaders: { readonly [name: string]: string };
}

export interface StagedCall {
  readonly callId: string;
  /** Settles once preparation ended, either way; it never rejects. Its bound is the runtime's own. */
  readonly ready: Promise<StagingOutcome>;
}

export interface StartedWebCall extends StagedCall {
  /** Opens the call's media, once, while it is staged. Kept nowhere. */
  readonly token: string;
}

export type StagingOutcome = { readonly type: 'staged' } | { readonly type: 'failed'; readonly message: string };

/**
 * Why an order was not taken. `draining`, `overloaded` and `organization_limit` can be tried again later; the others are faults of the order:
 * `no_trunk` of `from_number`, `destination_refused` of `to_number`.
 */
export type CallRefusal = 'draining' | 'overloaded' | 'organization_limit' | 'no_trunk' | 'destination_refused';

export class CallRefusedError extends Error {
  readonly refusal: CallRefusal;

  constructor(refusal: CallRefusal, message: string) {
    super(message);
    this.name = 'CallRefusedError';
    this.refusal = refusal;
  }
}
