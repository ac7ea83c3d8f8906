/**
 * The causes of refused INVITEs, each with a text for people. The caller gets only the status: an unknown source must not learn which
 * numbers and calls exist.
 */
export const REFUSAL_CAUSES = {
  draining: 'the service was shutting down',
  overloaded: 'the service had no capacity',
  unavailable:
    'the service was starting or stopping, or had lost its SIP server; of a flood of such refusals some are not logged',
  invalid_request:
    'the INVITE breaks a rule of SIP, or needs an extension or a body that the service does not support; of a flood of such refusals some are not logged',
  inbound_limit: 'the source, the trunk or the organization has as many inbound calls as it may have',
  guess_limit:
    'organizations that list the source have had too many calls to wrong targets; such refusals are not logged',
  unlisted_source: 'no trunk of the organization accepts calls from this address',
  wrong_credentials: 'the caller proved no password of a trunk',
  unknown_number: 'the dialled number is not registered',
  number_without_agent: 'the dialled number has no agent and no redirect',
  unknown_agent: 'the agent of the dialled number was deleted',
  lookup_refused: 'the lookup webhook of the dialled number refused the call',
  unknown_staged_call: '`X-Service-Call-Id` names no staged call',
  staged_call_expired: 'the INVITE came after the staging deadline',
  staged_call_taken: 'another INVITE claimed the staged call, or it had ended',
  staged_call_not_ready: 'the staged call was not ready in time',
  staged_number_differs: 'the INVITE dialled another number than the `to_number` of the staged call',
  redirect_refused: 'the destination of the redirect may not be called',
  redirect_circle: 'the redirect leads back to the dialled number',
  unacceptable_offer: 'the SDP offer could not be accepted',
  internal_error: 'the service failed',
} as const;

export type RefusalCause = keyof typeof REFUSAL_CAUSES;

/** A refused INVITE as it is decided. */
export interface Refusal {
  readonly cause: RefusalCause;
  /** Status of the SIP response. */
  readonly status: number;
  /** More about the cause; null if there is nothing more. */
  readonly detail: string | null;
  /** The owner of the number or call in the INVITE; null if there is none. */
  readonly organizationId: string | null;
}
