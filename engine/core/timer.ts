/** The timers that every call has. Starting one that runs moves it. */
export const TIMERS = [
  'answer',
  'answering_machine_correction',
  'answering_machine_detection',
  'call_end',
  'callee_first_word',
  'dtmf_entry',
  'endpoint',
  'extraction',
  'generation',
  'initial_message',
  'interruption',
  'machine_silence',
  'machine_turn_limit',
  'max_duration',
  'playout',
  'presence',
  'screening_wait',
  'summary',
  'thinking_filler',
  'tool_filler',
  'transcriber',
  'transfer',
  'voice',
] as const;

/** A timer of the call, or the one of a running tool call: until its result is due, or until its DTMF digits were sent. */
export type TimerName = (typeof TIMERS)[number] | `tool.${string}` | `send_dtmf.${string}`;
