import type { EndReason } from '../../../engine/ports/end-reason.ts';
import type { FinalStatus } from '../../storage/schema/call-status.ts';

/** The final status of a call. An answered call is always `completed`; its `end_reason` has the cause. */
export function finalStatus(reason: EndReason, answered: boolean): FinalStatus {
  // A 200 that crossed the caller's CANCEL was never received.
  if (answered && reason !== 'canceled') return 'completed';
  switch (reason) {
    case 'busy':
      return 'busy';
    case 'no_answer':
    case 'staging_timeout':
      return 'no_answer';
    case 'canceled':
    case 'terminated':
    case 'caller_hangup':
    case 'agent_hangup':
      return 'canceled';
    case 'transferred':
    case 'voicemail_left':
    case 'max_duration':
    case 'silence':
    case 'rejected':
    case 'redirected':
    case 'no_media':
    case 'sip_error':
    case 'transcriber_error':
    case 'llm_error':
    case 'voice_error':
    case 'media_error':
    case 'internal_error':
    case 'node_lost':
    case 'shutdown':
      return 'failed';
  }
}
