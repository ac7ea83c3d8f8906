import type { EndReason } from '../../../../engine/ports/end-reason.ts';

/** Part of the English catalogue: why calls ended. */
export const endReasons: Readonly<Record<EndReason, string>> = {
  caller_hangup: 'The caller hung up',
  agent_hangup: 'The agent hung up',
  terminated: 'Ended over the API',
  transferred: 'Transferred',
  voicemail_left: 'Message left on a voicemail',
  max_duration: 'Longest duration reached',
  silence: 'Silence',
  staging_timeout: 'The prepared call never came',
  busy: 'Busy',
  no_answer: 'No answer',
  rejected: 'Rejected',
  redirected: 'Redirected',
  canceled: 'Canceled',
  no_media: 'No audio arrived',
  sip_error: 'SIP error',
  transcriber_error: 'The transcriber failed',
  llm_error: 'The language model failed',
  voice_error: 'The voice failed',
  media_error: 'Media error',
  internal_error: 'Internal error',
  node_lost: 'The node was lost',
  shutdown: 'The service shut down',
};
