import type { RunningTool } from '../core/context.ts';
import type { Step } from '../core/step.ts';
import { keysSentBy } from '../dtmf/send-dtmf.ts';
import { stopBusy } from '../fillers/tool-filler.ts';
import type { ToolResult } from '../ports/tool-runner.ts';
import { knowledgeResult } from '../tool-definitions/knowledge-search.ts';
import { addResult } from '../transcript/history.ts';
import { writeToolResult } from '../transcript/transcript.ts';
import { setMapped } from '../variables/variables.ts';

/** A function has answered, or its runner never did. Each call gets one result, whatever became of the turn that asked. */
export function takeResult(step: Step): void {
  const { event } = step;
  const keysId = keysSentBy(event);
  const id = keysId ?? resultId(event);
  const tool = step.context.tools.find((one) => one.toolCallId === id);
  if (tool === undefined) return;
  const result = keysId === null ? resultOf(event) : { successful: true, content: 'Sent.', mapped: [] };
  endTool(step, tool, result);
  step.change({ owed: true });
  for (const { variable, value } of result.mapped) setMapped(step, variable, value);
  if (step.context.reply?.asking === true) step.raise({ type: 'engine.ask' });
}

function resultOf(event: Step['event']): ToolResult {
  if (event.type === 'tool.result') return event.result;
  if (event.type === 'knowledge.result') return knowledgeResult(event.result);
  return { successful: false, content: 'It did not answer in time.', mapped: [] };
}

/** The call is over, and nobody waits for its functions any more. */
export function abandonTools(step: Step): void {
  const result = { successful: false, content: 'The call ended before it answered.' };
  for (const tool of step.context.tools) endTool(step, tool, result);
}

function endTool(
  step: Step,
  tool: RunningTool,
  result: Pick<ToolResult, 'successful' | 'content' | 'httpStatus'>,
): void {
  step.stopTimer(`tool.${tool.toolCallId}`);
  const { tools, keys } = step.context;
  step.change({
    tools: tools.filter((one) => one !== tool),
    keys: keys.filter(({ toolCallId }) => toolCallId !== tool.toolCallId),
  });
  stopBusy(step);
  addResult(step, tool.toolCallId, result.content);
  writeToolResult(step, { id: tool.toolCallId, name: tool.name }, result);
}

function resultId(event: Step['event']): string | null {
  if (event.type === 'tool.result' || event.type === 'knowledge.result') return event.toolCallId;
  return event.type === 'timer' && event.timer.startsWith('tool.') ? event.timer.slice('tool.'.length) : null;
}
