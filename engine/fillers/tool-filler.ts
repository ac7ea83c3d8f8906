import type { RuleStep } from '../core/rule-step.ts';
import type { RunningTool } from '../core/state/tools-slice.ts';
import { languagePack } from '../languages/language-packs.ts';
import { say, startReply } from '../playout/reply.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';

/** A user who hears nothing for longer than this thinks that the call was cut off. */
const FILLER_INTERVAL_MS = 10_000;
/** More fillers tell the user nothing new. */
const FILLERS_MAX = 3;
/** A user who speaks while a tool runs hears the filler sooner. */
const FILLER_AFTER_TURN_MS = 3_000;

/** A tool call begins: the filler repeats at this interval while it runs. Calls of one generation share the timer. */
export function startToolFillerTimer(step: RuleStep): void {
  step.change({ toolFillersSaid: 0 });
  step.startTimer('tool_filler', FILLER_INTERVAL_MS);
}

/** A new user turn waits for a tool whose fillers are used up: they start again. */
export function restartToolFiller(step: RuleStep): void {
  const { runningTools, toolFillersSaid } = step.context;
  if (runningTools.length === 0 || toolFillersSaid < FILLERS_MAX) return;
  step.change({ toolFillersSaid: 0 });
  step.startTimer('tool_filler', FILLER_AFTER_TURN_MS);
}

export function stopToolFillerTimer(step: RuleStep): void {
  if (step.context.runningTools.length === 0) step.stopTimer('tool_filler');
}

/** The interval has passed: the filler is said if the user waits in silence, and skipped otherwise. */
export function sayToolFiller(step: RuleStep): void {
  const { runningTools, toolFillersSaid } = step.context;
  const tool = runningTools.at(-1);
  if (tool === undefined || toolFillersSaid >= FILLERS_MAX) return;
  step.startTimer('tool_filler', FILLER_INTERVAL_MS);
  if (!userWaitsInSilence(step)) return;
  step.change({ toolFillersSaid: toolFillersSaid + 1 });
  // The reply that made the tool call was interrupted, and no new reply followed.
  if (step.context.reply === null) startReply(step, null);
  say(step, languagePack(step.context.agent.language).toolFiller, itemOf(step, tool));
}

function userWaitsInSilence({ context }: RuleStep): boolean {
  const { reply, idle, userTurn, interruption, haltedSinceUs, decidedEnd } = context;
  if (reply === null) return idle && haltedSinceUs === null;
  if (reply.followUp.type !== 'listen' || decidedEnd !== null || haltedSinceUs !== null) return false;
  const agentSpeaks = reply.generation !== null || reply.segments.some((segment) => !segment.ended);
  return !agentSpeaks && !userTurn.speaking && userTurnText(userTurn) === '' && interruption?.status !== 'tentative';
}

/** The filler joins the history item of the tool call while that reply goes on; otherwise it gets a new item. */
function itemOf({ context }: RuleStep, { item, reply }: RunningTool): number | undefined {
  return context.reply?.number === reply ? item : undefined;
}
