import type { RuleStep } from '../core/step.ts';
import { languagePack } from '../languages/languages.ts';
import { changeReply, say } from '../playout/reply.ts';
import { addAgentItem } from '../transcript/history.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';

/** A caller who hears nothing for longer than this asks whether anybody is there. */
const SILENCE_MS = 3_000;

/** The model was asked: a caller who waits too long for its first token is told so, once a reply. */
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
  const mayBeTold = reply?.followUp.type === 'listen' && decidedEnd === null && haltedSinceUs === null;
  const agentIsSilent = reply?.segments.every((one) => one.ended) === true;
  const userIsSilent = !userTurn.speaking && userTurnText(userTurn) === '' && interruption?.status !== 'tentative';
  return mayBeTold && agentIsSilent && userIsSilent;
}
