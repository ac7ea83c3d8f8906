import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { HistoryItem } from '../../../engine/core/state/transcript-slice.ts';
import { HISTORY_CHARACTERS_MAX, historySize } from '../../../engine/history-summary/history-budget.ts';
import { fitHistoryToBudget, onSummaryResult } from '../../../engine/history-summary/history-summary.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';

const ERROR = { provider: 'openai', code: 'unavailable', message: 'no', retryable: true } as const;
const DONE: CallEvent = {
  type: 'summary.done',
  summary: 1,
  answer: { summary: ' Ada wants a table. ' },
  usage: { inputTokens: 10, outputTokens: 5 },
};
const FAILED: CallEvent = { type: 'summary.failed', summary: 1, error: ERROR };
const TIMED_OUT: CallEvent = { type: 'timer', timer: 'summary' };
const STOP = { type: 'timer.stop', timer: 'summary' };

/** An item of `size` characters, as the history budget counts them. */
const userItem = (id: number, size: number): HistoryItem => ({ type: 'user', id, text: 'x'.repeat(size - 16) });
const agentItem = (id: number, size: number): HistoryItem => ({
  type: 'agent',
  id,
  text: 'x'.repeat(size - 16),
  playedText: null,
  calls: [{ id: `call_${id}`, name: '', arguments: '' }],
  entry: null,
});

/** Five turns that exceed the history budget. */
const FULL = [1, 3, 5, 7, 9].flatMap((id) => [userItem(id, 10_000), agentItem(id + 1, 10_000)]);
/** The history one turn later. */
const FULL_ONE_TURN_LATER = [...FULL.slice(2), userItem(11, 10_000), agentItem(12, 10_000)];

function fitToBudget(history: readonly HistoryItem[], { context } = ruleStep()): RuleStep {
  const step = ruleStep({ ...context, history });
  fitHistoryToBudget(step);
  return step;
}

/** A call in which these turns were dropped before, and no summary covers them. */
function stepWithDropped(droppedIds: readonly HistoryItem[]): RuleStep {
  const { summary } = ruleStep().context;
  return ruleStep({ summary: { ...summary, dropped: droppedIds } });
}

function afterEvent(step: RuleStep, event: CallEvent, context: Partial<RuleStep['context']> = {}): RuleStep {
  const next = ruleStep({ ...step.context, ...context }, 2_000, event);
  onSummaryResult(next);
  return next;
}

/** The numbers of the requested summaries. */
const requestedNumbers = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => (command.type === 'summary.request' ? [command.summary] : []));
const ids = (items: readonly HistoryItem[]) => items.map(({ id }) => id);

describe('a summary', () => {
  it('is requested for the dropped turns, with a timeout', () => {
    const step = fitToBudget(FULL);
    expect(requestedNumbers(step)).toEqual([1]);
    expect(issuedCommands(step)).toContainEqual({ type: 'timer.start', timer: 'summary', delayMs: 30_000 });
    expect(ids(step.context.summary.dropped)).toEqual([1, 2]);
    // No later tool call may take the id of a call whose turn was dropped.
    expect(step.context.summary.callIds).toEqual(['call_2']);
    expect(ids(step.context.history)).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('is not requested if no turn is dropped', () => {
    expect(issuedCommands(fitToBudget([userItem(1, 96_000)]))).toEqual([]);
    const result = { type: 'result', id: 2, toolCallId: 'a', content: 'x'.repeat(100_000) } as const;
    const shortened = fitToBudget([userItem(1, 100), result], stepWithDropped([userItem(0, 100)]));
    expect(historySize(shortened.context.history)).toBeLessThan(1_000);
    expect(issuedCommands(shortened)).toEqual([]);
  });

  it('runs alone; turns that are dropped while it runs get the next request', () => {
    const step = fitToBudget(FULL_ONE_TURN_LATER, fitToBudget(FULL));
    expect(requestedNumbers(step)).toEqual([]);
    expect(ids(step.context.summary.dropped)).toEqual([1, 2, 3, 4]);
    expect(step.context.summary.callIds).toEqual(['call_2', 'call_4']);
    const next = afterEvent(step, DONE);
    expect(requestedNumbers(next)).toEqual([2]);
    expect(ids(next.context.summary.dropped)).toEqual([3, 4]);
    const last = afterEvent(next, { ...DONE, summary: 2 });
    expect([requestedNumbers(last), last.context.summary.dropped]).toEqual([[], []]);
    // A call that has ended needs no summary.
    expect(requestedNumbers(afterEvent(step, DONE, { endReason: 'caller_hangup' }))).toEqual([]);
  });

  it('stops its timeout, counts its tokens and replaces the dropped turns when it arrives', () => {
    const step = afterEvent(fitToBudget(FULL), DONE);
    expect(issuedCommands(step)).toEqual([STOP]);
    expect(step.context).toMatchObject({
      summary: { text: 'Ada wants a table.', running: null, dropped: [] },
      metrics: { inputTokens: 10, outputTokens: 5 },
    });
  });

  it.each([{ summary: '' }, { summary: 7 }, { summary: null }, {}, [], 'Ada wants a table.'])(
    'is not replaced by the invalid answer %j, and the dropped turns are kept',
    (answer) => {
      const { summary } = afterEvent(fitToBudget(FULL), { ...DONE, answer }).context;
      expect([summary.text, summary.running, ids(summary.dropped)]).toEqual([null, null, [1, 2]]);
    },
  );

  it.each([
    ['failure', FAILED, STOP, 'openai unavailable: no'],
    ['timeout', TIMED_OUT, { type: 'summary.cancel', summary: 1 }, 'timeout: no answer in time'],
  ])('logs a %s, and covers the turns in the next request', (_outcome, event, expectedCommand, error) => {
    const step = afterEvent(fitToBudget(FULL), event);
    expect(issuedCommands(step)).toEqual([expectedCommand]);
    expect(step.commands).toContainEqual({ type: 'log', notice: { type: 'summary_failed', error } });
    const nextRequest = fitToBudget(FULL_ONE_TURN_LATER, step);
    expect(requestedNumbers(nextRequest)).toEqual([2]);
    expect(nextRequest.context.summary.running?.covers).toBe(4);
  });

  it('ignores the result of another request, and a timeout while none is running', () => {
    for (const event of [DONE, FAILED]) {
      const otherRequest = afterEvent(fitToBudget(FULL), { ...event, summary: 2 });
      expect([issuedCommands(otherRequest), otherRequest.context.summary.running?.number]).toEqual([[], 1]);
    }
    expect(issuedCommands(afterEvent(ruleStep(), TIMED_OUT))).toEqual([]);
  });
});

describe('dropped turns without a summary', () => {
  const droppedIds = (before: readonly number[], history = FULL) =>
    ids(
      fitToBudget(history, stepWithDropped(before.map((size, id) => userItem(id - before.length, size)))).context
        .summary.dropped,
    );
  // The first turn of `FULL` follows them and takes 20,000 characters.
  const ROOM = 2 * HISTORY_CHARACTERS_MAX - 20_000;

  it('are summarised later, the newest ones, up to twice the history budget', () => {
    expect(droppedIds([100_000, ROOM - 100_000])).toEqual([-2, -1, 1, 2]);
    expect(droppedIds([100_000, ROOM - 100_000 + 1])).toEqual([-1, 1, 2]);
    expect(droppedIds([ROOM, ROOM, ROOM])).toEqual([-1, 1, 2]);
  });

  it('are discarded except for the last item, which can have any length', () => {
    expect(droppedIds([100], [userItem(1, 10_000), agentItem(2, 300_000), ...FULL.slice(2)])).toEqual([2]);
  });
});
