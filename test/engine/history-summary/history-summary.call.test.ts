import { describe, expect, it } from 'vitest';
import type { HistoryItem } from '../../../engine/core/state/transcript-slice.ts';
import { fitHistory, HISTORY_MAX_CHARACTERS, historySize } from '../../../engine/history-summary/history-budget.ts';
import { agentWith } from '../simulation/agent-with.ts';
import { conversationLength, longCall } from '../simulation/long-call.ts';
import type { Scenario } from '../simulation/scenario.ts';

const RESULT = { after: 0.2, result: { content: 'x'.repeat(6_000) } };
/** A call whose functions tell so much that the history is full after some thirty turns: as many spoken words take far longer to simulate. */
const outgrowing = (turns: number, given: Partial<Scenario>) =>
  longCall(turns, { tools: { lookup: RESULT }, ...given }, 1);

describe('a summary', () => {
  it('that fails leaves the turns dropped, and they are asked about again with the next', () => {
    const call = outgrowing(70, { summaries: ['fails', 'SECOND.', 'THIRD.'] }).runUntil(750);
    expect(call.logs.filter((line) => line.includes('a summary failed'))).toHaveLength(1);
    expect(call.summaryRequests[1]?.messages[1]?.content).toContain('Caller: Turn number 0.');
    expect(Math.max(...call.modelRequests.map(conversationLength))).toBeLessThanOrEqual(HISTORY_MAX_CHARACTERS);
    expect(call.modelRequests.at(-1)?.messages[0]?.content).toMatch(/SECOND|THIRD/);
    expect(call.modelRequests.at(-1)?.messages.some(({ content }) => content.includes('Turn number 0.'))).toBe(false);
  });

  it('that never comes is given up, and the call goes on', () => {
    const call = outgrowing(40, { summaries: [null] }).runUntil(450);
    expect(call.logs).toEqual(['warn: a summary failed: no answer in time']);
    const [given] = call.tape.filter(({ commands }) => commands.some(({ type }) => type === 'summary.cancel'));
    const [asked] = call.tape.filter(({ commands }) => commands.some(({ type }) => type === 'summary.request'));
    expect((given?.atUs ?? 0) - (asked?.atUs ?? 0)).toBe(30_000_000);
    expect(call.modelRequests.at(-1)?.messages.at(-1)?.content).toContain('Turn number 39.');
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('is bounded in length, and an empty one counts as none', () => {
    const long = outgrowing(80, { summaries: ['y'.repeat(50_000)] }).runUntil(850);
    expect(long.modelRequests.at(-1)?.messages[0]?.content.match(/y{100,}/)?.[0]).toHaveLength(6_000);
    const empty = outgrowing(36, { summaries: [' '] }).runUntil(365);
    expect(empty.logs).toEqual(['warn: a summary failed: the answer holds none']);
    expect(empty.modelRequests.at(-1)?.messages[0]?.content).not.toContain('What was said before');
  });

  it('is asked of nobody in a call that fits', () => {
    expect(longCall(20).runUntil(300).summaryRequests).toEqual([]);
  });

  it('still running holds no end up', () => {
    const call = outgrowing(40, { summaries: [null] });
    call.runUntil(400);
    const asked = call.tape.find(({ commands }) => commands.some(({ type }) => type === 'summary.request'));
    const again = outgrowing(40, { summaries: [null] })
      .hangUpAt((asked?.atUs ?? 0) / 1e6 + 1)
      .runUntil(450);
    expect(again.endReason).toBe('caller_hangup');
    expect(again.journalEntries('ended')[0]?.atUs).toBe((asked?.atUs ?? 0) + 1_000_000);
    expect(again.clock.pending).toBe(0);
  });
});

describe('a history that is cut', () => {
  const caller = (id: number, text: string): HistoryItem => ({ type: 'user', id, text });
  const agent = (id: number, text: string, calls: readonly string[] = []): HistoryItem => ({
    type: 'agent',
    id,
    text,
    playedText: null,
    calls: calls.map((call) => ({ id: call, name: 'lookup', arguments: '{}' })),
    entry: null,
  });
  const result = (id: number, toolCallId: string, length: number): HistoryItem => ({
    type: 'result',
    id,
    toolCallId,
    content: '😀'.repeat(length / 2),
  });

  it('begins with words of the user and keeps a call with its results', () => {
    const history = Array.from({ length: 40 }, (_, turn) => [
      caller(turn * 10, 'Look it up.'),
      caller(turn * 10 + 1, 'Please.'),
      agent(turn * 10 + 2, '', [`c${turn}`]),
      result(turn * 10 + 3, `c${turn}`, 4_000),
      agent(turn * 10 + 4, 'Done.'),
    ]).flat();
    const { dropped, kept } = fitHistory(history, 0);
    expect([...dropped, ...kept]).toEqual(history);
    expect(kept[0]?.id).toSatisfy((id) => id % 10 === 0);
    expect(historySize(kept)).toBeLessThanOrEqual(HISTORY_MAX_CHARACTERS / 2);
  });

  it('shortens results, the oldest first, where one turn alone is too long', () => {
    const calls = Array.from({ length: 16 }, (_, index) => `c${index}`);
    const history = [
      caller(1, 'Everything.'),
      agent(2, '', calls),
      ...calls.map((id, index) => result(index + 3, id, 16_000)),
    ];
    const { dropped, kept } = fitHistory(history, 0);
    expect(dropped).toEqual([]);
    expect(historySize(kept)).toBeLessThanOrEqual(HISTORY_MAX_CHARACTERS);
    expect(kept.at(-1)).toEqual(history.at(-1));
    const short = kept[2];
    expect(short?.type === 'result' && short.content).toMatch(/^(😀)+.? \[the rest was left out\]$/u);
  });

  it('without a beginning of a turn is left whole', () => {
    const history = [agent(1, 'x'.repeat(200_000))];
    expect(fitHistory(history, 0)).toEqual({ dropped: [], kept: history });
  });
});

it('is only ever summarised by the agent’s own model', () => {
  const call = outgrowing(40, { agent: { language: 'de' }, summaries: ['Kurz.'] }).runUntil(450);
  expect(call.summaryRequests.length).toBeGreaterThan(0);
  const { llm } = agentWith({});
  for (const { provider, model, functions, answerSchema } of call.summaryRequests) {
    expect({ provider, model, functions }).toEqual({ provider: llm.provider, model: llm.model, functions: [] });
    expect(answerSchema?.name).toBe('summary');
  }
});
