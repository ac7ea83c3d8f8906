import type { RuleStep } from '../core/rule-step.ts';
import { languagePack } from '../languages/language-packs.ts';
import { changeReply, say } from '../playout/reply.ts';
import { addAgentItem } from '../transcript/history.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';

/** A user who hears nothing for longer than this asks whether the line is dead. */
const SILENCE_MS = 3_000;

/** Starts when the model is asked: the filler covers a late first token, once a reply. */
export function startThinkingFillerTimer(step: RuleStep): void {
  if (step.context.reply?.thinkingFillerItem === null) step.startTimer('thinking_filler', SILENCE_MS);
}

/**
 * The model is still thinking. What it says then goes into an item of its own behind this: a model that is asked in its
 * place is not told that its answer broke off.
 */
export function sayThinkingFiller(step: RuleStep): void {
  const { agent, answeringMachine, reply } = step.context;
  const generation = reply?.generation;
  if (generation == null || generation.firstTokenUs !== null || reply?.thinkingFillerItem !== null) return;
  // A machine does not wait for anybody.
  if (answeringMachine.type === 'ivr' || answeringMachine.type === 'voicemail') return;
  if (!waitsInSilence(step)) {
    startThinkingFillerTimer(step);
    return;
  }
  const thinkingFillerItem = addAgentItem(step);
  changeReply(step, { thinkingFillerItem: thinkingFillerItem });
  say(step, languagePack(agent.language).thinkingFiller, thinkingFillerItem);
  changeReply(step, { generation: { ...generation, item: addAgentItem(step) } });
}

function waitsInSilence({ context }: RuleStep): boolean {
  const { userTurn, decidedEnd, haltedSinceUs, interruption, reply } = context;
  const isWaiting = reply?.followUp.type === 'listen' && decidedEnd === null && haltedSinceUs === null;
  const agentIsSilent = reply?.segments.every((one) => one.ended) === true;
  const userIsSilent = !userTurn.speaking && userTurnText(userTurn) === '' && interruption?.status !== 'tentative';
  return isWaiting && agentIsSilent && userIsSilent;
}
