import type { AgentConfiguration } from '../../agent/agent.ts';

/** Topics `turn-taking` and `presence`: the greeting, the pending response, silence. */
export interface TurnsSlice {
  /** The initial message: `pending` once it is due; it is said as soon as neither party has the turn. */
  readonly greeting: 'scheduled' | 'pending' | 'done';
  /** Neither party speaks, no generation runs and no tool call runs. */
  readonly idle: boolean;
  /** The model still has to answer a tool result, or a turn whose reply was interrupted by noise. */
  readonly pendingResponse: boolean;
  /** `checks`: presence checks since the user's last turn. `pausedUntilUs`: no checks before, since the user asked for time. */
  readonly presence: { readonly checks: number; readonly pausedUntilUs: number };
}

/** A committed user turn: the metrics of the reply count from here. */
export interface CommittedTurn {
  readonly number: number;
  readonly speechEndedUs: number;
  readonly committedUs: number;
}

export function initialTurns(agent: AgentConfiguration): TurnsSlice {
  return {
    greeting: agent.initial_message === '' ? 'done' : 'scheduled',
    idle: false,
    pendingResponse: false,
    presence: { checks: 0, pausedUntilUs: 0 },
  };
}
