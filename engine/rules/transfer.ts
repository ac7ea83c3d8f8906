import type { Tool } from '../agent/agent.ts';
import type { Step } from '../call/step.ts';
import type { TransferOrder } from '../ports/call-control.ts';
import { addResult } from './history.ts';
import { apologise, askNext, startReply } from './reply.ts';
import { fillTemplate, parseTemplate } from './templates.ts';
import { writeToolResult } from './transcript.ts';
import { lookupIn } from './variables.ts';

/** What signalling may take beyond the ring timeout before the transfer has failed. */
const SIGNALLING_SLACK_MS = 10_000;

type TransferTool = Extract<Tool, { readonly type: 'transfer_call' }>;

/** Where to, or why not, in words for the model. The destination policy of the service comes after it. */
export function transferOrder(
  step: Step,
  tool: TransferTool,
): { readonly order: TransferOrder } | { readonly fault: string } {
  const lookup = lookupIn(step.context);
  const destination = fillTemplate(tool.destination, lookup).text.trim();
  if (destination === '' || /[\s\p{Cc}]/u.test(destination)) return { fault: 'There is no destination.' };
  if (!isAllowed(step, tool, destination)) return { fault: 'This destination is not allowed.' };
  const headers = Object.entries(tool.headers).map(([name, value]) => [name, fillTemplate(value, lookup).text]);
  const order: TransferOrder = {
    destination,
    mode: tool.mode,
    headers: Object.fromEntries(headers),
    ringTimeoutMs: tool.ring_timeout * 1000,
  };
  return { order };
}

/** A caller's words alone choose no number: what was not given at the call's start must stand on the tool's list. */
function isAllowed(step: Step, tool: TransferTool, destination: string): boolean {
  const given = new Map(Object.entries(step.context.facts.dynamicVariables));
  const trusted = parseTemplate(tool.destination).paths.every((path) => {
    const [name = ''] = path.split('.');
    const value = step.context.variables.get(name)?.value;
    return given.has(name) && JSON.stringify(given.get(name)) === JSON.stringify(value);
  });
  return trusted || tool.allowed_destinations.includes(destination);
}

/** What was being said has been heard: the caller is handed over. */
export function beginTransfer(step: Step): void {
  const after = step.context.reply?.after;
  if (after?.type !== 'transfer') return;
  step.order({ type: 'call.transfer', order: after.order });
  step.startTimer('transfer', after.order.ringTimeoutMs + SIGNALLING_SLACK_MS);
}

/** The caller is the agent's again, and the model is told why. */
export function transferFailed(step: Step): void {
  const after = step.context.reply?.after;
  if (after?.type !== 'transfer') return;
  const why = step.event.type === 'control.transfer_failed' ? step.event.reason : 'nobody answered in time';
  const content = `The transfer failed: ${why}. The caller is still on the line.`;
  step.stopTimer('transfer');
  addResult(step, after.toolCallId, content);
  writeToolResult(step, { id: after.toolCallId, name: after.name }, { successful: false, content });
  const isOver = step.context.ending !== null;
  startReply(step, null, !isOver);
  if (isOver) apologise(step);
  else askNext(step);
}

export function transferSucceeded(step: Step): void {
  const after = step.context.reply?.after;
  if (after?.type !== 'transfer') return;
  step.stopTimer('transfer');
  addResult(step, after.toolCallId, 'Transferred.');
  writeToolResult(step, { id: after.toolCallId, name: after.name }, { successful: true, content: 'Transferred.' });
  step.change({ reply: null });
  step.raise({ type: 'engine.end', reason: 'transferred' });
}
