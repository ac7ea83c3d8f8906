import type { Tool } from '../agent/agent.ts';
import type { AfterReply, CallContext } from '../call/call-context.ts';
import { givenVariables } from '../call/given-variables.ts';
import type { Step } from '../call/step.ts';
import type { TransferOrder } from '../ports/call-control.ts';
import { normalisedDestination } from './destination.ts';
import { addResult } from './history.ts';
import { headerText } from './parameters.ts';
import { apologise, askNext, changeReply, startReply } from './reply.ts';
import { fillTemplate, parseTemplate } from './templates.ts';
import { writeToolResult, writeTransfer } from './transcript.ts';
import { lookupIn, valueIn } from './variables.ts';

/** What signalling may take beyond the ring timeout before the transfer has failed. */
const SIGNALLING_SLACK_MS = 10_000;

type TransferTool = Extract<Tool, { readonly type: 'transfer_call' }>;

/** Where to, or why not, in words for the model. The destination policy of the service comes after it. */
export function transferOrder(
  step: Step,
  tool: TransferTool,
): { readonly order: TransferOrder } | { readonly fault: string } {
  const lookup = lookupIn(step.context);
  const { text, missing } = fillTemplate(tool.destination, lookup);
  for (const name of missing) step.log('warn', `the destination of ${tool.name} names {{${name}}}, which has no value`);
  if (missing.length > 0 || text.trim() === '') return { fault: 'There is no destination.' };
  const destination = normalisedDestination(text);
  if (destination === null) return { fault: 'Its destination is no number and no SIP address.' };
  if (!isAllowed(step, tool, destination)) return { fault: 'This destination is not allowed.' };
  const headers = Object.entries(tool.headers).map(([name, value]) => [
    name,
    headerText(fillTemplate(value, lookup).text),
  ]);
  const order: TransferOrder = {
    destination,
    mode: tool.mode,
    headers: Object.fromEntries(headers),
    ringTimeoutMs: tool.ring_timeout * 1000,
  };
  return { order };
}

/**
 * A caller's words alone choose no number: a destination that is made of anything but what the agent's author wrote and
 * what was given at the call's start must stand on the tool's list.
 */
function isAllowed(step: Step, tool: TransferTool, destination: string): boolean {
  const { agent, facts, variables } = step.context;
  const given = new Map(
    [...givenVariables(agent, facts)].filter(([name]) => Object.hasOwn(facts.dynamicVariables, name)),
  );
  const trusted = parseTemplate(tool.destination).paths.every((path) => {
    const before = valueIn((name) => given.get(name)?.value, path);
    const now = valueIn((name) => variables.get(name)?.value, path);
    return before !== undefined && JSON.stringify(before) === JSON.stringify(now);
  });
  return trusted || tool.allowed_destinations.some((allowed) => normalisedDestination(allowed) === destination);
}

/** What was being said has been heard: the caller is handed over. */
export function beginTransfer(step: Step): void {
  const after = step.context.reply?.after;
  if (after?.type === 'transfer') handOver(step, after, after.order);
}

type Transfer = Extract<AfterReply, { readonly type: 'transfer' }>;

function handOver(step: Step, after: Transfer, order: TransferOrder): void {
  changeReply(step, { after: { ...after, order, begun: true } });
  writeTransfer(step, order, 'started');
  step.order({ type: 'call.transfer', order });
  step.startTimer('transfer', order.ringTimeoutMs + SIGNALLING_SLACK_MS);
}

/** The peer takes no REFER: we dial ourselves, once. */
export function canBridgeInstead({ reply, ending }: CallContext, event: Step['event']): boolean {
  const after = reply?.after;
  return (
    event.type === 'control.transfer_failed' &&
    event.refused === true &&
    after?.type === 'transfer' &&
    after.order.mode === 'refer' &&
    ending === null
  );
}

export function bridgeInstead(step: Step): void {
  const after = step.context.reply?.after;
  if (after?.type !== 'transfer') return;
  step.log('info', 'the transfer by REFER was refused; the call is bridged instead');
  handOver(step, after, { ...after.order, mode: 'bridge' });
}

/** The caller is the agent's again, and the model is told why. */
export function transferFailed(step: Step): void {
  const after = step.context.reply?.after;
  if (after?.type !== 'transfer') return;
  const why = step.event.type === 'control.transfer_failed' ? step.event.reason : 'nobody answered in time';
  const content = `The transfer failed: ${why}. The caller is still on the line.`;
  step.stopTimer('transfer');
  addResult(step, after.toolCallId, content);
  writeTransfer(step, after.order, 'failed', why);
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
  writeTransfer(step, after.order, 'completed');
  writeToolResult(step, { id: after.toolCallId, name: after.name }, { successful: true, content: 'Transferred.' });
  step.change({ reply: null });
  step.raise({ type: 'engine.end', reason: 'transferred' });
}
