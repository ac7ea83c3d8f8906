import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { HistoryItem } from '../../../engine/core/state/transcript-slice.ts';
import { HISTORY_MAX_CHARACTERS, historySize } from '../../../engine/history-summary/history-budget.ts';
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
const LATE: CallEvent = { type: 'timer', timer: 'summary' };
const STOP = { type: 'timer.stop', timer: 'summary' };

/** Of so many characters, as the model is told them. */
const said = (id: number, size: number): HistoryItem => ({ type: 'user', id, text: 'x'.repeat(size - 16) });
const heard = (id: number, size: number): HistoryItem => ({
  type: 'agent',
  id,
  text: 'x'.repeat(size - 16),
  playedText: null,
  calls: [{ id: `call_${id}`, name: '', arguments: '' }],
  entry: null,
});

/** More than the history may hold, in five turns. */
const FULL = [1, 3, 5, 7, 9].flatMap((id) => [said(id, 10_000), heard(id + 1, 10_000)]);
/** The same, one turn later. */
const FULLER = [...FULL.slice(2), said(11, 10_000), heard(12, 10_000)];

function bounded(history: readonly HistoryItem[], { context } = ruleStep()): RuleStep {
  const step = ruleStep({ ...context, history });
  fitHistoryToBudget(step);
  return step;
}

/** As if these turns had left the history before, and no summary had come of them. */
function leftBefore(dropped: readonly HistoryItem[]): RuleStep {
  const { summary } = ruleStep().context;
  return ruleStep({ summary: { ...summary, dropped } });
}

function then(step: RuleStep, event: CallEvent, context: Partial<RuleStep['context']> = {}): RuleStep {
  const next = ruleStep({ ...step.context, ...context }, 2_000, event);
  onSummaryResult(next);
  return next;
}

/** The numbers of the summaries that were asked for. */
const requests = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => (command.type === 'summary.request' ? [command.summary] : []));
const ids = (items: readonly HistoryItem[]) => items.map(({ id }) => id);

describe('a summary', () => {
  it('is asked for with a bound, of the turns that leave the history', () => {
    const step = bounded(FULL);
    expect(requests(step)).toEqual([1]);
    expect(issuedCommands(step)).toContainEqual({ type: 'timer.start', timer: 'summary', delayMs: 30_000 });
    expect(ids(step.context.summary.dropped)).toEqual([1, 2]);
    // No call to come takes the id of one that the model has forgotten.
    expect(step.context.summary.callIds).toEqual(['call_2']);
    expect(ids(step.context.history)).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('is asked for of nothing where no turn leaves', () => {
    expect(issuedCommands(bounded([said(1, 96_000)]))).toEqual([]);
    const result = { type: 'result', id: 2, toolCallId: 'a', content: 'x'.repeat(100_000) } as const;
    const shortened = bounded([said(1, 100), result], leftBefore([said(0, 100)]));
    expect(historySize(shortened.context.history)).toBeLessThan(1_000);
    expect(issuedCommands(shortened)).toEqual([]);
  });

  it('is one at a time: what leaves meanwhile is asked about behind it', () => {
    const step = bounded(FULLER, bounded(FULL));
    expect(requests(step)).toEqual([]);
    expect(ids(step.context.summary.dropped)).toEqual([1, 2, 3, 4]);
    expect(step.context.summary.callIds).toEqual(['call_2', 'call_4']);
    const next = then(step, DONE);
    expect(requests(next)).toEqual([2]);
    expect(ids(next.context.summary.dropped)).toEqual([3, 4]);
    const last = then(next, { ...DONE, summary: 2 });
    expect([requests(last), last.context.summary.dropped]).toEqual([[], []]);
    // A call that is over needs none.
    expect(requests(then(step, DONE, { endReason: 'caller_hangup' }))).toEqual([]);
  });

  it('that comes stops its bound, is counted, and stands in the history’s place', () => {
    const step = then(bounded(FULL), DONE);
    expect(issuedCommands(step)).toEqual([STOP]);
    expect(step.context).toMatchObject({
      summary: { text: 'Ada wants a table.', running: null, dropped: [] },
      metrics: { inputTokens: 10, outputTokens: 5 },
    });
  });

  it.each([{ summary: '' }, { summary: 7 }, { summary: null }, {}, [], 'Ada wants a table.'])(
    'of %j is none: what it was asked about is kept',
    (answer) => {
      const { summary } = then(bounded(FULL), { ...DONE, answer }).context;
      expect([summary.text, summary.running, ids(summary.dropped)]).toEqual([null, null, [1, 2]]);
    },
  );

  it.each([
    ['fails', FAILED, STOP, 'a summary failed: openai unavailable: no'],
    ['takes too long', LATE, { type: 'summary.cancel', summary: 1 }, 'a summary failed: no answer in time'],
  ])('that %s is told of in the log, and asked for again with the next', (_what, event, order, message) => {
    const step = then(bounded(FULL), event);
    expect(issuedCommands(step)).toEqual([order]);
    expect(step.commands).toContainEqual({ type: 'log', level: 'warn', message });
    const again = bounded(FULLER, step);
    expect(requests(again)).toEqual([2]);
    expect(again.context.summary.running?.covers).toBe(4);
  });

  it('is not ended by another one’s answer, nor where none runs', () => {
    for (const event of [DONE, FAILED]) {
      const other = then(bounded(FULL), { ...event, summary: 2 });
      expect([issuedCommands(other), other.context.summary.running?.number]).toEqual([[], 1]);
    }
    expect(issuedCommands(then(ruleStep(), LATE))).toEqual([]);
  });
});

describe('turns that no summary came of', () => {
  const dropped = (before: readonly number[], history = FULL) =>
    ids(bounded(history, leftBefore(before.map((size, id) => said(id - before.length, size)))).context.summary.dropped);
  // The first turn of `FULL` comes behind them.
  const ROOM = 2 * HISTORY_MAX_CHARACTERS - 20_000;

  it('are asked about again, the newest of them as far as they are no more than two histories', () => {
    expect(dropped([100_000, ROOM - 100_000])).toEqual([-2, -1, 1, 2]);
    expect(dropped([100_000, ROOM - 100_000 + 1])).toEqual([-1, 1, 2]);
    expect(dropped([ROOM, ROOM, ROOM])).toEqual([-1, 1, 2]);
  });

  it('are let go but for the last words, however long these are', () => {
    expect(dropped([100], [said(1, 10_000), heard(2, 300_000), ...FULL.slice(2)])).toEqual([2]);
  });
});
