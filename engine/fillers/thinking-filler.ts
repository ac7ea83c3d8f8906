import type { Step } from '../core/step.ts';
import { spokenLanguage } from '../languages/languages.ts';
import { changeReply, say } from '../playout/reply.ts';
import { addAgentItem } from '../transcript/history.ts';
import { turnText } from '../turn-detection/turn-text.ts';

/** A caller who hears nothing for longer than this asks whether anybody is there. */
const SILENCE_MS = 3_000;

/** The model was asked: a caller who waits too long for its first token is told so, once a reply. */
export function expectFirstToken(step: Step): void {
  if (step.context.reply?.oneMoment === null) step.startTimer('one_moment', SILENCE_MS);
}

/**
 * The model is still thinking. What it says then goes into an item of its own behind this: a model that is asked in its
 * place is not told that its answer broke off.
 */
export function sayOneMoment(step: Step): void {
  const { agent, answer, reply } = step.context;
  const generation = reply?.generation;
  if (generation == null || generation.firstTokenUs !== null || reply?.oneMoment !== null) return;
  // A machine does not wait for anybody.
  if (answer.type === 'ivr' || answer.type === 'voicemail') return;
  if (!waitsInSilence(step)) {
    expectFirstToken(step);
    return;
  }
  const oneMoment = addAgentItem(step);
  changeReply(step, { oneMoment });
  say(step, spokenLanguage(agent.language).oneMoment, oneMoment);
  changeReply(step, { generation: { ...generation, item: addAgentItem(step) } });
}

function waitsInSilence({ context }: Step): boolean {
  const { caller, ending, heldUs, interruption, reply } = context;
  const mayBeTold = reply?.after.type === 'listen' && ending === null && heldUs === null;
  const agentIsSilent = reply?.segments.every((one) => one.ended) === true;
  const callerIsSilent = !caller.speaking && turnText(caller) === '' && interruption?.verdict !== 'open';
  return mayBeTold && agentIsSilent && callerIsSilent;
}
