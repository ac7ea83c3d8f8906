import type { RuleStep } from '../core/rule-step.ts';
import type { RunningTool } from '../core/state/tools-slice.ts';
import { languagePack } from '../languages/language-packs.ts';
import { say, startReply } from '../playout/reply.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';

/** A user who hears nothing for longer than this thinks that the line is dead. */
const FILLER_INTERVAL_MS = 10_000;
/** What is said so often has been understood. */
const FILLERS_MAX = 3;
/** A user who speaks while a tool runs hears the filler sooner. */
const FILLER_AFTER_TURN_MS = 3_000;

/** A tool call begins: the filler repeats every ten seconds while it runs. Calls of one generation begin together. */
export function startToolFillerTimer(step: RuleStep): void {
  step.change({ toolFillersSaid: 0 });
  step.startTimer('tool_filler', FILLER_INTERVAL_MS);
}

/** A user turn waits for a tool whose fillers are used up: they start again. */
export function restartToolFiller(step: RuleStep): void {
  const { runningTools, toolFillersSaid } = step.context;
  if (runningTools.length === 0 || toolFillersSaid < FILLERS_MAX) return;
  step.change({ toolFillersSaid: 0 });
  step.startTimer('tool_filler', FILLER_AFTER_TURN_MS);
}

export function stopToolFillerTimer(step: RuleStep): void {
  if (step.context.runningTools.length === 0) step.stopTimer('tool_filler');
}

/** Ten more seconds have passed: the filler is said while the user waits in silence, and skipped otherwise. */
export function sayToolFiller(step: RuleStep): void {
  const { runningTools, toolFillersSaid } = step.context;
  const tool = runningTools.at(-1);
  if (tool === undefined || toolFillersSaid >= FILLERS_MAX) return;
  step.startTimer('tool_filler', FILLER_INTERVAL_MS);
  if (!waitsInSilence(step)) return;
  step.change({ toolFillersSaid: toolFillersSaid + 1 });
  // The reply that asked for it was dropped, and nothing came of what cut it.
  if (step.context.reply === null) startReply(step, null);
  say(step, languagePack(step.context.agent.language).toolFiller, itemOf(step, tool));
}

function waitsInSilence({ context }: RuleStep): boolean {
  const { reply, idle, userTurn, interruption, haltedSinceUs, decidedEnd } = context;
  if (reply === null) return idle && haltedSinceUs === null;
  if (reply.followUp.type !== 'listen' || decidedEnd !== null || haltedSinceUs !== null) return false;
  const agentSpeaks = reply.generation !== null || reply.segments.some((one) => !one.ended);
  return !agentSpeaks && !userTurn.speaking && userTurnText(userTurn) === '' && interruption?.status !== 'tentative';
}

/** It belongs to the words beside which the function was called, as long as that reply goes on. */
function itemOf({ context }: RuleStep, { item, utterance }: RunningTool): number | undefined {
  return context.reply?.utterance === utterance ? item : undefined;
}
