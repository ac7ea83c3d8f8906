import type { CallView } from '../../../engine/session/call-handle.ts';

/** The current activity of a call, for people who watch many calls. */
export const ACTIVITIES = [
  'initializing',
  'listening',
  'user_speaking',
  'machine_speaking',
  'thinking',
  'agent_speaking',
  'paused',
  'transferring',
] as const;

export interface CallActivity {
  readonly activity: (typeof ACTIVITIES)[number];
  /** Name of the state in the agent's configuration. */
  readonly state: string;
  /** Response time of the latest turn that was answered, in ms; null before the first one. */
  readonly responseMs: number | null;
}

/** Null: the conversation is over. */
export function activityNamed(agentState: CallView['agentState']): CallActivity['activity'] | null {
  switch (agentState) {
    case 'userSpeaking':
      return 'user_speaking';
    case 'machineSpeaking':
      return 'machine_speaking';
    case 'speaking':
      return 'agent_speaking';
    case 'over':
      return null;
    default:
      return agentState;
  }
}
