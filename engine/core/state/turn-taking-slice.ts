import type { AgentConfiguration } from '../../agent/agent-schema.ts';

/** Topic `turn-taking`: the initial message and the pending response. */
export interface TurnTakingSlice {
  /** The initial message: `pending` once it is due; it is said as soon as neither party has the turn. */
  readonly initialMessage: 'scheduled' | 'pending' | 'done';
  /** Neither party speaks, no generation runs and no tool call runs. */
  readonly idle: boolean;
  /** The model still has to answer a tool result, or a turn whose reply was interrupted by noise. */
  readonly pendingResponse: boolean;
  /** How many answers the user's words have cancelled since the last one was heard. */
  readonly unheardAnswers: number;
}

/** The announcement of the recording is said with the initial message. */
export function hasInitialMessage(agent: AgentConfiguration): boolean {
  return agent.initial_message !== '' || agent.recording_consent !== undefined;
}

export function initialTurnTaking(agent: AgentConfiguration): TurnTakingSlice {
  return {
    initialMessage: hasInitialMessage(agent) ? 'scheduled' : 'done',
    idle: false,
    pendingResponse: false,
    unheardAnswers: 0,
  };
}
