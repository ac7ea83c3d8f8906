import type { Step } from '../core/step.ts';
import { spokenLanguage } from '../languages/languages.ts';
import { say } from '../playout/reply.ts';
import { giveUp } from './call-failure.ts';

/** So many turns in a row are apologised for; a model that has no answer for the next one either has failed. */
const IN_ROW_MAX = 2;

/**
 * The model is not asked again in this turn: the caller is not left in silence, and may say it again. A voicemail cannot:
 * there the call ends.
 */
export function sayNoAnswer(step: Step): void {
  const { reply, agent, answer, ending, failover } = step.context;
  if (reply?.after.type !== 'listen' || ending !== null) return;
  if (failover.noAnswers >= IN_ROW_MAX || answer.type === 'voicemail') {
    giveUp(step, 'llm_error', 'the model answered with nothing, again and again');
    return;
  }
  step.change({ failover: { ...failover, noAnswers: failover.noAnswers + 1 } });
  say(step, spokenLanguage(agent.language).noAnswer);
}

/** The model has answered in words. */
export function noticeAnswer(step: Step): void {
  step.change({ failover: { ...step.context.failover, noAnswers: 0 } });
}
