/** The fixed timers of a call. A second start replaces the first. */
export const TIMERS = [
  'agent_entry',
  'answer',
  'answering_machine_correction',
  'answering_machine_detection',
  'ask_ahead',
  'awaited_variables',
  'call_end',
  'callee_first_word',
  'dtmf_entry',
  'endpoint',
  'extraction',
  'filler',
  'generation',
  'initial_message',
  'interruption',
  'machine_silence',
  'machine_turn_limit',
  'max_duration',
  'menu_wait',
  'playout',
  'presence',
  'screening_wait',
  'summary',
  'transcriber',
  'transfer',
  'voice',
] as const;

/** A fixed timer, the deadline of a tool call (`tool.ID`), or the end of its DTMF digits (`send_dtmf.ID`). */
export type TimerName = (typeof TIMERS)[number] | `tool.${string}` | `send_dtmf.${string}`;
