/** The values of the API's `end_reason`. A call ends exactly once. */
export const END_REASONS = [
  'caller_hangup',
  'agent_hangup',
  'terminated',
  'transferred',
  'voicemail_left',
  'max_duration',
  'silence',
  'staging_timeout',
  'busy',
  'no_answer',
  'rejected',
  'redirected',
  'canceled',
  'no_media',
  'sip_error',
  'transcriber_error',
  'llm_error',
  'voice_error',
  'media_error',
  'internal_error',
  'node_lost',
  'shutdown',
] as const;

export type EndReason = (typeof END_REASONS)[number];
