import type { CallContext } from '../core/context.ts';
import type { Step } from '../core/step.ts';
import { say, startReply } from '../playout/reply.ts';

/**
 * Silence is counted from the end of the playout, while nobody speaks, thinks or presses keys, no tool runs and the call
 * is not on hold. An agent without phrases never asks.
 */
export function countsSilence(context: CallContext): boolean {
  const waitsForGreeting = context.greeting !== 'done';
  const isFree =
    context.quiet &&
    context.reply === null &&
    context.heldUs === null &&
    context.tools.length === 0 &&
    context.digits.pressed === null;
  return isFree && !waitsForGreeting && context.agent.presence_check_phrases.length > 0;
}

export function startSilence(step: Step): void {
  const { agent, presence } = step.context;
  const pauseMs = Math.max(0, (presence.pausedUntilUs - step.nowUs) / 1000);
  step.startTimer('presence', Math.ceil(Math.max(pauseMs, agent.presence_check_idle_threshold * 1000)));
}

export function stopSilence(step: Step): void {
  step.stopTimer('presence');
}

export function mayAskAgain({ agent, presence }: CallContext): boolean {
  return presence.asked < agent.presence_check_max_times;
}

export function askPresence(step: Step): void {
  const { agent, presence } = step.context;
  step.change({ presence: { ...presence, asked: presence.asked + 1 } });
  startReply(step, null);
  say(step, agent.presence_check_phrases[presence.asked % agent.presence_check_phrases.length]);
}

export function endInSilence(step: Step): void {
  step.raise({ type: 'engine.end', reason: 'silence' });
}
