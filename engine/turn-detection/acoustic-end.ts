import type { RuleStep } from '../core/rule-step.ts';
import { END_OF_TURN_ANSWER_MS_MAX } from '../ports/end-of-turn-model.ts';

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
      step.change({ acousticEnd: { atMs: event.audioMs, askedUs: step.nowUs, probability: null } });
      step.command({ type: 'end_of_turn.judge', atMs: event.audioMs });
      break;
    case 'end_of_turn.judged': {
      const { atMs, probability } = event;
      if (acousticEnd?.atMs === atMs) step.change({ acousticEnd: { ...acousticEnd, probability } });
      break;
    }
    default:
      break;
  }
}

/** How much longer the model may take to judge the last pause, in ms: until then the turn does not end. */
export function acousticAnswerLeftMs({ context, nowUs }: RuleStep): number {
  const { acousticEnd } = context;
  if (acousticEnd === null || acousticEnd.probability !== null) return 0;
  return Math.max(0, Math.ceil((acousticEnd.askedUs - nowUs) / 1000 + END_OF_TURN_ANSWER_MS_MAX));
}
