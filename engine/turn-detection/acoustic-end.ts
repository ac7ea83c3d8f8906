import type { RuleStep } from '../core/rule-step.ts';

/**
 * Asks the acoustic model at each pause of the user, in either party’s turn: what they say over the agent may become a turn
 * later. Its answer is kept until they speak again.
 */
export function askEndOfTurnModel(step: RuleStep): void {
  const { agent, parameters, acousticEnd } = step.context;
  if (agent.turn_detection !== 'model' || parameters.hasEndOfTurnModel !== true) return;
  const { event } = step;
  switch (event.type) {
    case 'media.speech_started':
      step.change({ acousticEnd: null });
      break;
    case 'media.speech_stopped':
      step.change({ acousticEnd: { atMs: event.audioMs, probability: null } });
      step.command({ type: 'end_of_turn.judge', atMs: event.audioMs });
      break;
    case 'end_of_turn.judged': {
      const { atMs, probability } = event;
      if (acousticEnd?.atMs === atMs) step.change({ acousticEnd: { atMs, probability } });
      break;
    }
    default:
      break;
  }
}
