import type { CallContext } from '../core/context.ts';
import { type MachineEvent, RuleStep } from '../core/rule-step.ts';
import { repeatsCurrentSpeech } from '../echo/current-speech.ts';
import { asksNothing } from '../languages/asks-nothing.ts';
import { dropReply } from '../playout/drop-reply.ts';
import { userTurnLanguage, userTurnWords } from '../transcript/user-turn-text.ts';

/**
 * The user says something while the agent waits for a tool in silence. It interrupts no speech, so one word is enough,
 * also for an agent that users may not interrupt. The turn is answered at once; the tool goes on.
 */
export function asksDuringTool(context: CallContext, event: MachineEvent): boolean {
  if (!waitsForTool(context)) return false;
  const words = userTurnWords(context.userTurn);
  const isQuestion = !asksNothing(words, userTurnLanguage(context));
  return isQuestion && !repeatsCurrentSpeech(new RuleStep(context, event, event.time), words.length);
}

/** The next generation of the reply waits for its tools, and all of its speech was played. */
function waitsForTool({ decidedEnd, outgoingDtmf, reply, runningTools }: CallContext): boolean {
  if (reply?.requestPending !== true || decidedEnd !== null || outgoingDtmf.length > 0) return false;
  const isSilent = reply.generation === null && reply.segments.every((segment) => segment.ended);
  return isSilent && runningTools.some((tool) => tool.reply === reply.number);
}

/** The reply ends here: the tool's result leads to another one. */
export function leaveToolWait(step: RuleStep): void {
  dropReply(step, 'user');
}
