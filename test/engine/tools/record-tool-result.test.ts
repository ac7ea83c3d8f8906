import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import { DETECTION_OFF } from '../../../engine/core/state/answering-machine-slice.ts';
import type { Reply } from '../../../engine/core/state/playout-slice.ts';
import { changeReply, speakSegment, startReply } from '../../../engine/playout/reply.ts';
import { abandonRunningTools, onToolResult } from '../../../engine/tools/record-tool-result.ts';
import { addAgentItem } from '../../../engine/transcript/history.ts';
import { HANG_UP_AFTER_GOODBYE, issuedCommands, ruleStep } from '../simulation/rule-step.ts';

const TOOL = { toolCallId: 'a', name: 'lookup', startedUs: 0, reply: 1, item: 1 };
const OTHER = { ...TOOL, toolCallId: 'b' };
const resultOf = (toolCallId: string): CallEvent => ({
  type: 'tool.result',
  toolCallId,
  result: { successful: true, content: 'ten', mapped: [] },
});
const GENERATE = [{ type: 'engine.generate' }];

/** The step after the event, while the tools run. `reply`: what the reply then has said of itself; null for none. */
function stepAfter(
  event: CallEvent,
  context: Partial<CallContext> = {},
  reply: Partial<Reply> | null = null,
): RuleStep {
  const step = ruleStep({ runningTools: [TOOL], ...context }, 1_000, event);
  if (reply !== null) {
    startReply(step, null);
    changeReply(step, reply);
  }
  onToolResult(step);
  return step;
}

/** The reply says these numbers of sentences, the first of which are fillers. */
function afterSentences(sentences: number, fillers: number, reply: Partial<Reply> = {}, tools = [TOOL]): RuleStep {
  const step = ruleStep({ runningTools: tools }, 1_000, resultOf('a'));
  startReply(step, null);
  const item = addAgentItem(step);
  for (let sentence = 0; sentence < sentences; sentence++) speakSegment(step, item, 'One moment.');
  const numbers = step.context.reply?.segments.map(({ number }) => number) ?? [];
  changeReply(step, { fillerSegments: numbers.slice(0, fillers), ...reply });
  onToolResult(step);
  return step;
}

describe('the result of a tool', () => {
  it('ends its call, and the model is to answer it', () => {
    const step = stepAfter(resultOf('a'), { runningTools: [TOOL, OTHER] });
    expect(step.context).toMatchObject({ runningTools: [OTHER], pendingResponse: true });
    expect(step.context.history).toMatchObject([{ type: 'result', toolCallId: 'a', content: 'ten' }]);
    expect(issuedCommands(step)).toContainEqual({ type: 'timer.stop', timer: 'tool.a' });
    expect(step.raised).toEqual([]);
  });

  it('counts once, and only for a call that runs', () => {
    const step = stepAfter(resultOf('b'));
    expect(step.commands).toEqual([]);
    expect(step.context).toMatchObject({ runningTools: [TOOL], pendingResponse: false });
  });

  it('is a failure once its time is over', () => {
    const step = stepAfter({ type: 'timer', timer: 'tool.a' });
    expect(step.context.history).toMatchObject([{ content: 'It did not answer in time.' }]);
    expect(stepAfter({ type: 'timer', timer: 'endpoint' }).context.runningTools).toEqual([TOOL]);
  });

  it('lets the reply that asked for it go on', () => {
    expect(stepAfter(resultOf('a'), {}, { requestPending: true }).raised).toEqual(GENERATE);
    expect(stepAfter(resultOf('a'), {}, {}).raised).toEqual([]);
  });

  it('is answered in the reply that says only fillers', () => {
    expect(afterSentences(2, 2).raised).toEqual(GENERATE);
    expect(afterSentences(2, 1).raised).toEqual([]);
    expect(afterSentences(0, 0).raised).toEqual([]);
    expect(afterSentences(2, 2, { modelRequests: 1 }).raised).toEqual([]);
    expect(afterSentences(2, 2, { followUp: HANG_UP_AFTER_GOODBYE }).raised).toEqual([]);
    // The model answers after the last result.
    expect(afterSentences(2, 2, {}, [TOOL, OTHER]).raised).toEqual([]);
  });

  it('of digits for a menu is not answered: the menu speaks next', () => {
    const outgoingDtmf = [{ toolCallId: 'a', name: 'press', digits: '1', sent: true }];
    const sent: CallEvent = { type: 'timer', timer: 'send_dtmf.a' };
    const resultFrom = (type: 'ivr' | 'human', runningTools = [TOOL]) =>
      stepAfter(
        sent,
        { outgoingDtmf, runningTools, answeringMachine: { ...DETECTION_OFF, type } },
        { requestPending: true },
      );
    expect(resultFrom('ivr')).toMatchObject({ raised: [], context: { pendingResponse: false, outgoingDtmf: [] } });
    expect(resultFrom('human')).toMatchObject({ raised: GENERATE, context: { pendingResponse: true } });
    expect(resultFrom('ivr', [TOOL, OTHER])).toMatchObject({ raised: GENERATE, context: { pendingResponse: true } });
    expect(resultFrom('human').context.history).toMatchObject([{ content: 'Sent.' }]);
  });
});

it('each tool that runs at the end of the call gets a result', () => {
  const step = ruleStep({ runningTools: [TOOL, OTHER] });
  abandonRunningTools(step);
  expect(step.context.runningTools).toEqual([]);
  expect(step.context.history).toMatchObject([
    { toolCallId: 'a', content: 'The call ended before it answered.' },
    { toolCallId: 'b', content: 'The call ended before it answered.' },
  ]);
});
