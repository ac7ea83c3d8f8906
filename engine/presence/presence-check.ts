import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import { say, startReply } from '../playout/reply.ts';

/**
 * Silence counts from the end of playout. During it neither party speaks, no generation or tool runs, no DTMF entry is
 * open and the call is not on hold. An agent without presence check phrases never checks.
 */
export function isWaitingForUser(context: CallContext): boolean {
  const waitsForInitialMessage = context.initialMessage !== 'done';
  const isFree =
    context.idle &&
    context.reply === null &&
    context.haltedSinceUs === null &&
    context.runningTools.length === 0 &&
    context.dtmf.openEntry === null;
  return isFree && !waitsForInitialMessage && context.agent.presence_check_phrases.length > 0;
}

export function startPresenceTimer(step: RuleStep): void {
  const { agent, fillers, presence } = step.context;
  const waitingSinceUs = Math.max(presence.waitingSinceUs ?? step.nowUs, fillers.agentSoundUs);
  step.change({ presence: { ...presence, waitingSinceUs } });
  const dueUs = Math.max(presence.pausedUntilUs, waitingSinceUs + agent.presence_check_idle_threshold * 1_000_000);
  step.startTimer('presence', Math.max(0, Math.ceil((dueUs - step.nowUs) / 1000)));
}

export function stopPresenceTimer(step: RuleStep): void {
  step.stopTimer('presence');
}

export function canCheckPresenceAgain({ agent, presence }: CallContext): boolean {
  return presence.checks < agent.presence_check_max_times;
}

export function checkPresence(step: RuleStep): void {
  const { agent, presence } = step.context;
  step.change({ presence: { ...presence, checks: presence.checks + 1 } });
  startReply(step, null);
  say(step, agent.presence_check_phrases[presence.checks % agent.presence_check_phrases.length]);
}

export function endForSilence(step: RuleStep): void {
  step.raise({ type: 'engine.end', reason: 'silence' });
}
