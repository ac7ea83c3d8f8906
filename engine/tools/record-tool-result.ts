import { waitForMenu } from '../answering-machine/machine-turn.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { Reply } from '../core/state/playout-slice.ts';
import type { RunningTool } from '../core/state/tools-slice.ts';
import { sentDtmfCallId } from '../dtmf/send-dtmf.ts';
import { requestGeneration } from '../playout/reply.ts';
import type { ToolResult } from '../ports/tool-runner.ts';
import { knowledgeResult } from '../tool-definitions/knowledge-search-tool.ts';
import { addToolResult } from '../transcript/history.ts';
import { writeToolResult } from '../transcript/transcript.ts';
import { setMappedVariable } from '../variables/variables.ts';

/** A tool call has its result, or has timed out. Each call gets one result, even if its turn was interrupted. */
export function onToolResult(step: RuleStep): void {
  const { event } = step;
  const dtmfCallId = sentDtmfCallId(event);
  const id = dtmfCallId ?? resultId(event);
  const tool = step.context.runningTools.find((candidate) => candidate.toolCallId === id);
  if (tool === undefined) return;
  const result = dtmfCallId === null ? resultOf(event) : { successful: true, content: 'Sent.', mapped: [] };
  endTool(step, tool, result);
  step.change({ pendingResponse: true });
  for (const { variable, value } of result.mapped) setMappedVariable(step, variable, value);
  const { answeringMachine, reply, runningTools } = step.context;
  if (dtmfCallId !== null && answeringMachine.type === 'ivr' && runningTools.length === 0) waitForMenu(step);
  else if (reply?.requestPending === true) step.raise({ type: 'engine.generate' });
  else if (reply !== null && runningTools.length === 0 && consistsOfFillers(reply)) requestGeneration(step);
}

/** The reply says a filler for tools of earlier replies: the answer follows in it without a pause. */
function consistsOfFillers({ followUp, modelRequests, fillerSegments, segments }: Reply): boolean {
  const isFiller = segments.every(({ number }) => fillerSegments.includes(number));
  return followUp.type === 'listen' && modelRequests === 0 && segments.length > 0 && isFiller;
}

function resultOf(event: RuleStep['event']): ToolResult {
  if (event.type === 'tool.result') return event.result;
  if (event.type === 'knowledge.result') return knowledgeResult(event.result);
  return { successful: false, content: 'It did not answer in time.', mapped: [] };
}

/** The phone call is over: each running tool call gets its result here. */
export function abandonRunningTools(step: RuleStep): void {
  const result = { successful: false, content: 'The call ended before it answered.' };
  for (const tool of step.context.runningTools) endTool(step, tool, result);
}

function endTool(
  step: RuleStep,
  tool: RunningTool,
  result: Pick<ToolResult, 'successful' | 'content' | 'httpStatus'>,
): void {
  step.stopTimer(`tool.${tool.toolCallId}`);
  const { runningTools, outgoingDtmf } = step.context;
  step.change({
    runningTools: runningTools.filter((other) => other !== tool),
    outgoingDtmf: outgoingDtmf.filter(({ toolCallId }) => toolCallId !== tool.toolCallId),
  });
  addToolResult(step, tool.toolCallId, result.content);
  writeToolResult(step, { id: tool.toolCallId, name: tool.name }, result);
}

function resultId(event: RuleStep['event']): string | null {
  if (event.type === 'tool.result' || event.type === 'knowledge.result') return event.toolCallId;
  return event.type === 'timer' && event.timer.startsWith('tool.') ? event.timer.slice('tool.'.length) : null;
}
