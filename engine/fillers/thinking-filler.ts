import type { RuleStep } from '../core/rule-step.ts';
import { languagePack } from '../languages/language-packs.ts';
import { changeReply, say } from '../playout/reply.ts';
import { addAgentItem } from '../transcript/history.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';

/** A user who hears nothing for longer than this asks whether the agent is still there. */
const SILENCE_MS = 3_000;

/** Starts when the model is asked: the filler covers a late first token, once a reply. */
export function startThinkingFillerTimer(step: RuleStep): void {
  if (step.context.reply?.thinkingFillerItem === null) step.startTimer('thinking_filler', SILENCE_MS);
}

/**
 * Says the filler while no token has arrived. The answer gets a new history item after it: otherwise a retry would tell
 * the model that its answer broke off.
 */
export function sayThinkingFiller(step: RuleStep): void {
  const { agent, answeringMachine, reply } = step.context;
  const generation = reply?.generation;
  if (generation == null || generation.firstTokenUs !== null || reply?.thinkingFillerItem !== null) return;
  // A machine needs no filler.
  if (answeringMachine.type === 'ivr' || answeringMachine.type === 'voicemail') return;
  if (!userWaitsInSilence(step)) {
    startThinkingFillerTimer(step);
    return;
  }
  const thinkingFillerItem = addAgentItem(step);
  changeReply(step, { thinkingFillerItem });
  say(step, languagePack(agent.language).thinkingFiller, thinkingFillerItem);
  changeReply(step, { generation: { ...generation, item: addAgentItem(step) } });
}

function userWaitsInSilence({ context }: RuleStep): boolean {
  const { userTurn, decidedEnd, haltedSinceUs, interruption, reply } = context;
  const isWaiting = reply?.followUp.type === 'listen' && decidedEnd === null && haltedSinceUs === null;
  const agentIsSilent = reply?.segments.every((segment) => segment.ended) === true;
  const userIsSilent = !userTurn.speaking && userTurnText(userTurn) === '' && interruption?.status !== 'tentative';
  return isWaiting && agentIsSilent && userIsSilent;
}
