import type { RunningTool } from '../core/context.ts';
import type { Step } from '../core/step.ts';
import { spokenLanguage } from '../languages/languages.ts';
import { say, startReply } from '../playout/reply.ts';
import { turnText } from '../turn-detection/turn-text.ts';

/** A caller who hears nothing for longer than this thinks that the line is dead. */
const STILL_BUSY_MS = 10_000;
/** What is said so often has been understood. */
const SAID_MAX = 3;
/** Whoever speaks all the same asks whether anybody is there. */
const ASKED_MS = 3_000;

/** A function begins: from now on the caller is told every ten seconds that it still runs. Those of one answer begin together. */
export function watchBusy(step: Step): void {
  step.change({ busySaid: 0 });
  step.startTimer('busy', STILL_BUSY_MS);
}

/** The caller's turn waits for a function of which they were told for the last time: they are told anew. */
export function watchBusyAgain(step: Step): void {
  const { tools, busySaid } = step.context;
  if (tools.length === 0 || busySaid < SAID_MAX) return;
  step.change({ busySaid: 0 });
  step.startTimer('busy', ASKED_MS);
}

export function stopBusy(step: Step): void {
  if (step.context.tools.length === 0) step.stopTimer('busy');
}

/** Ten more seconds of a function: said where the caller waits in silence for a reply, and left out where not. */
export function sayStillBusy(step: Step): void {
  const { tools, busySaid } = step.context;
  const tool = tools.at(-1);
  if (tool === undefined || busySaid >= SAID_MAX) return;
  step.startTimer('busy', STILL_BUSY_MS);
  if (!waitsInSilence(step)) return;
  step.change({ busySaid: busySaid + 1 });
  // The reply that asked for it was cut, and nothing came of what cut it.
  if (step.context.reply === null) startReply(step, null);
  say(step, spokenLanguage(step.context.agent.language).stillBusy, itemOf(step, tool));
}

function waitsInSilence({ context }: Step): boolean {
  const { reply, quiet, caller, interruption, heldUs, ending } = context;
  if (reply === null) return quiet && heldUs === null;
  if (reply.after.type !== 'listen' || ending !== null || heldUs !== null) return false;
  const agentSpeaks = reply.generation !== null || reply.segments.some((one) => !one.ended);
  return !agentSpeaks && !caller.speaking && turnText(caller) === '' && interruption?.verdict !== 'open';
}

/** It belongs to the words beside which the function was called, as long as that reply goes on. */
function itemOf({ context }: Step, { item, utterance }: RunningTool): number | undefined {
  return context.reply?.utterance === utterance ? item : undefined;
}
