import { describe, expect, it } from 'vitest';
import type { HistoryItem } from '../../../engine/core/state/transcript-slice.ts';
import { fitHistory, HISTORY_CHARACTERS_MAX, historySize } from '../../../engine/history-summary/history-budget.ts';
import { agentWith } from '../simulation/agent-with.ts';
import { conversationLength, longCall } from '../simulation/long-call.ts';
import type { Scenario } from '../simulation/scenario.ts';

const RESULT = { after: 0.2, result: { content: 'x'.repeat(6_000) } };
/**
 * A call whose tool results fill the history after about thirty turns. The same size in spoken words takes far longer
 * to simulate.
 */
const callWithLongHistory = (turns: number, overrides: Partial<Scenario>) =>
  longCall(turns, { tools: { lookup: RESULT }, ...overrides }, 1);

describe('a history summary', () => {
  it('includes the turns of a failed request, which stay dropped, in the next request', () => {
    const call = callWithLongHistory(70, { summaries: ['fails', 'SECOND.', 'THIRD.'] }).runUntil(750);
    expect(call.noticesOf('summary_failed')).toHaveLength(1);
    expect(call.summaryRequests[1]?.messages[1]?.content).toContain('Caller: Turn number 0.');
    expect(Math.max(...call.modelRequests.map(conversationLength))).toBeLessThanOrEqual(HISTORY_CHARACTERS_MAX);
    expect(call.modelRequests.at(-1)?.messages[0]?.content).toMatch(/SECOND|THIRD/);
    expect(call.modelRequests.at(-1)?.messages.some(({ content }) => content.includes('Turn number 0.'))).toBe(false);
  });

  it('is cancelled after its timeout, and the call continues', () => {
    const call = callWithLongHistory(40, { summaries: [null] }).runUntil(450);
    expect(call.notices).toEqual([{ type: 'summary_failed', error: 'timeout: no answer in time' }]);
    const [cancelled] = call.tape.filter(({ commands }) => commands.some(({ type }) => type === 'summary.cancel'));
    const [requested] = call.tape.filter(({ commands }) => commands.some(({ type }) => type === 'summary.request'));
    expect((cancelled?.atUs ?? 0) - (requested?.atUs ?? 0)).toBe(30_000_000);
    expect(call.modelRequests.at(-1)?.messages.at(-1)?.content).toContain('Turn number 39.');
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('is bounded in length, and an empty summary counts as a failure', () => {
    const bounded = callWithLongHistory(80, { summaries: ['y'.repeat(50_000)] }).runUntil(850);
    expect(bounded.modelRequests.at(-1)?.messages[0]?.content.match(/y{100,}/)?.[0]).toHaveLength(6_000);
    const empty = callWithLongHistory(36, { summaries: [' '] }).runUntil(365);
    expect(empty.notices).toEqual([{ type: 'summary_failed', error: 'malformed: no summary in the answer' }]);
    expect(empty.modelRequests.at(-1)?.messages[0]?.content).not.toContain('What was said before');
  });

  it('is not requested while the history fits its budget', () => {
    expect(longCall(20).runUntil(300).summaryRequests).toEqual([]);
  });

  it('does not delay the end of the call while it is running', () => {
    const call = callWithLongHistory(40, { summaries: [null] });
    call.runUntil(400);
    const requested = call.tape.find(({ commands }) => commands.some(({ type }) => type === 'summary.request'));
    const hungUp = callWithLongHistory(40, { summaries: [null] })
      .hangUpAt((requested?.atUs ?? 0) / 1e6 + 1)
      .runUntil(450);
    expect(hungUp.endReason).toBe('caller_hangup');
    expect(hungUp.journalEntries('ended')[0]?.atUs).toBe((requested?.atUs ?? 0) + 1_000_000);
    expect(hungUp.clock.pending).toBe(0);
  });
});

describe('a shortened history', () => {
  const userItem = (id: number, text: string): HistoryItem => ({ type: 'user', id, text });
  const agentItem = (id: number, text: string, calls: readonly string[] = []): HistoryItem => ({
    type: 'agent',
    id,
    text,
    playedText: null,
    calls: calls.map((call) => ({ id: call, name: 'lookup', arguments: '{}' })),
    entry: null,
  });
  const resultItem = (id: number, toolCallId: string, length: number): HistoryItem => ({
    type: 'result',
    id,
    toolCallId,
    content: '😀'.repeat(length / 2),
  });

  it('begins with a user turn and keeps each tool call with its results', () => {
    const history = Array.from({ length: 40 }, (_, turn) => [
      userItem(turn * 10, 'Look it up.'),
      userItem(turn * 10 + 1, 'Please.'),
      agentItem(turn * 10 + 2, '', [`c${turn}`]),
      resultItem(turn * 10 + 3, `c${turn}`, 4_000),
      agentItem(turn * 10 + 4, 'Done.'),
    ]).flat();
    const { dropped, kept } = fitHistory(history, 0);
    expect([...dropped, ...kept]).toEqual(history);
    expect(kept[0]?.id).toSatisfy((id) => id % 10 === 0);
    expect(historySize(kept)).toBeLessThanOrEqual(HISTORY_CHARACTERS_MAX / 2);
  });

  it('has shortened tool results, oldest first, if a single turn is too long', () => {
    const calls = Array.from({ length: 16 }, (_, index) => `c${index}`);
    const history = [
      userItem(1, 'Everything.'),
      agentItem(2, '', calls),
      ...calls.map((id, index) => resultItem(index + 3, id, 16_000)),
    ];
    const { dropped, kept } = fitHistory(history, 0);
    expect(dropped).toEqual([]);
    expect(historySize(kept)).toBeLessThanOrEqual(HISTORY_CHARACTERS_MAX);
    expect(kept.at(-1)).toEqual(history.at(-1));
    const shortened = kept[2];
    expect(shortened?.type === 'result' && shortened.content).toMatch(/^(😀)+.? \[the rest was left out\]$/u);
  });

  it('is the whole history if no user turn exists', () => {
    const history = [agentItem(1, 'x'.repeat(200_000))];
    expect(fitHistory(history, 0)).toEqual({ dropped: [], kept: history });
  });
});

it('the agent’s own model writes every summary', () => {
  const call = callWithLongHistory(40, { agent: { language: 'de' }, summaries: ['Kurz.'] }).runUntil(450);
  expect(call.summaryRequests.length).toBeGreaterThan(0);
  const { llm } = agentWith({});
  for (const { provider, model, functions, answerSchema } of call.summaryRequests) {
    expect({ provider, model, functions }).toEqual({ provider: llm.provider, model: llm.model, functions: [] });
    expect(answerSchema?.name).toBe('summary');
  }
});
