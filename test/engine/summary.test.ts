import { describe, expect, it } from 'vitest';
import type { HistoryItem } from '../../engine/call/call-context.ts';
import type { ModelRequest } from '../../engine/ports/language-model.ts';
import { fitHistory, HISTORY_MAX_CHARACTERS, sizeOf, TURNS_KEPT } from '../../engine/rules/history-budget.ts';
import { answersOf } from '../../engine/tape/answers-of.ts';
import { exactReplay } from '../../engine/tape/exact-replay.ts';
import { agentOf, type Scenario, Simulation } from './simulate.ts';
import { refusals } from './strict-provider.ts';

const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };
const LONG = 'A sentence that goes on and on about the weather. '.repeat(12);

/** A call in which every turn is long, of `turns` turns, 10 s each. */
function chatty(turns: number, given: Partial<Scenario> = {}): Simulation {
  const call = new Simulation({
    agent: { max_call_duration: 14_400, states: [{ name: 'start', tools: [LOOKUP] }] },
    model: Array.from({ length: turns * 2 }, (_, index) =>
      index % 3 === 0 ? { calls: [{ name: 'lookup' }] } : { text: `Answer ${index}. ${LONG}` },
    ),
    tools: { lookup: { after: 0.2, result: { content: `{"weather":"${'x'.repeat(700)}"}` } } },
    voice: { characterMs: 2 },
    ...given,
  });
  for (let turn = 0; turn < turns; turn++) call.callerSpeaks(turn * 10 + 3, turn * 10 + 4, `Turn number ${turn}.`);
  return call;
}

/** What a request tells of the conversation: all but the system's message, and the summary in that. */
function told(request: ModelRequest): number {
  const [system, ...rest] = request.messages;
  const summary = system?.content.split('What was said before, in short:\n')[1]?.split('\n\n')[0] ?? '';
  const calls = rest.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const spoken = rest.reduce((sum, { content }) => sum + content.length, 0);
  return spoken + summary.length + calls.reduce((sum, { name, arguments: text }) => sum + name.length + text.length, 0);
}

const said = (requests: readonly ModelRequest[]) =>
  requests.flatMap(({ messages }) => messages.map(({ content }) => content)).join('\n');

describe('the history of a call of two hours', () => {
  const summaries = Array.from({ length: 20 }, (_, index) => `SUMMARY ${index + 1}.`);
  const call = chatty(720, { summaries }).run(7_300);

  it('never exceeds its budget, and every request is one that a strict provider takes', () => {
    expect(call.requests.length).toBeGreaterThan(900);
    const sizes = call.requests.map(told);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(HISTORY_MAX_CHARACTERS);
    expect(Math.max(...sizes)).toBeGreaterThan(HISTORY_MAX_CHARACTERS * 0.9);
    for (const request of [...call.requests, ...call.summaries]) expect(refusals(request)).toEqual([]);
    expect(call.logs).toEqual([]);
  });

  it('keeps the last turns as they were spoken', () => {
    for (const [index, { messages }] of call.requests.entries()) {
      const callers = messages.flatMap((one) => (one.role === 'user' ? [one.content] : []));
      const last = Number(/\d+/.exec(callers.at(-1) ?? '')?.[0]);
      const expected = Array.from(
        { length: Math.min(TURNS_KEPT, last + 1) },
        (_, back) => `Turn number ${last - back}.`,
      );
      expect(callers.slice(-TURNS_KEPT), `request ${index}`).toEqual(expected.toReversed());
    }
  });

  it('is summarised from turn to turn without a gap, and a summary includes the one before', () => {
    expect(call.summaries.length).toBeGreaterThan(3);
    const turns = call.summaries.flatMap(({ messages }) =>
      [...(messages[1]?.content ?? '').matchAll(/^Caller: Turn number (\d+)\.$/gm)].map((match) => Number(match[1])),
    );
    expect(turns).toEqual(turns.map((_, index) => index));
    expect(said(call.summaries.slice(0, 1))).not.toContain('SUMMARY');
    for (const [index, { messages }] of call.summaries.slice(1).entries()) {
      expect(messages[1]?.content).toContain(`Summary of what came before:\nSUMMARY ${index + 1}.`);
    }
    expect(call.requests.at(-1)?.messages[0]?.content).toContain(`SUMMARY ${call.summaries.length}.`);
  });

  it('stands in no turn’s way: the request beside it is made at the same moment', () => {
    const asking = call.tape.filter(({ commands }) => commands.some(({ type }) => type === 'summary.request'));
    for (const { commands } of asking) expect(commands.some(({ type }) => type === 'model.request')).toBe(true);
  });

  it('replays exactly, and its tape tells what the summaries were', () => {
    const header = { tape: 1 as const, facts: call.facts, format: call.media.format };
    expect(exactReplay(call.compiled.agent, header, call.tape)).toEqual({ ok: true, entries: call.tape.length });
    const first = call.tape.findIndex(({ event }) => event.type === 'summary.done');
    const [answer] = answersOf({ header, entries: call.tape.slice(0, first + 1) }).extractions;
    expect(answer?.request).toEqual(call.summaries[0]);
    expect(answer?.events.map(({ delayMs, event }) => [delayMs, event])).toEqual([
      [2_000, { type: 'text', text: '{"summary":"SUMMARY 1."}' }],
      [2_000, { type: 'done', finish: 'stop' }],
    ]);
  });
});

describe('a summary', () => {
  it('that fails leaves the turns dropped, and they are asked about again with the next', () => {
    const call = chatty(200, { summaries: ['fails', 'SECOND.', 'THIRD.'] }).run(2_100);
    expect(call.logs.filter((line) => line.includes('a summary failed'))).toHaveLength(1);
    expect(call.summaries[1]?.messages[1]?.content).toContain('Caller: Turn number 0.');
    expect(Math.max(...call.requests.map(told))).toBeLessThanOrEqual(HISTORY_MAX_CHARACTERS);
    expect(call.requests.at(-1)?.messages[0]?.content).toMatch(/SECOND|THIRD/);
    expect(call.requests.at(-1)?.messages.some(({ content }) => content.includes('Turn number 0.'))).toBe(false);
  });

  it('that never comes is given up, and the call goes on', () => {
    const call = chatty(110, { summaries: [null] }).run(1_200);
    expect(call.logs).toEqual(['warn: a summary failed: no answer in time']);
    const [given] = call.tape.filter(({ commands }) => commands.some(({ type }) => type === 'summary.cancel'));
    const [asked] = call.tape.filter(({ commands }) => commands.some(({ type }) => type === 'summary.request'));
    expect((given?.atUs ?? 0) - (asked?.atUs ?? 0)).toBe(30_000_000);
    expect(call.requests.at(-1)?.messages.at(-1)?.content).toContain('Turn number 109.');
    expect(call.call.view().floor).toBe('listening');
  });

  it('is bounded in length, and an empty one counts as none', () => {
    const long = chatty(260, { summaries: ['y'.repeat(50_000)] }).run(2_700);
    expect(long.requests.at(-1)?.messages[0]?.content.match(/y{100,}/)?.[0]).toHaveLength(6_000);
    const empty = chatty(130, { summaries: [' '] }).run(1_400);
    expect(empty.logs).toEqual(['warn: a summary failed: the answer holds none']);
    expect(empty.requests.at(-1)?.messages[0]?.content).not.toContain('What was said before');
  });

  it('is asked of nobody in a call that fits', () => {
    expect(chatty(20).run(300).summaries).toEqual([]);
  });

  it('still running holds no end up', () => {
    const call = chatty(150, { summaries: [null] });
    call.run(1_100);
    const asked = call.tape.find(({ commands }) => commands.some(({ type }) => type === 'summary.request'));
    const again = chatty(150, { summaries: [null] })
      .hangUp((asked?.atUs ?? 0) / 1e6 + 1)
      .run(1_500);
    expect(again.endedWith).toBe('caller_hangup');
    expect(again.entries('ended')[0]?.atUs).toBe((asked?.atUs ?? 0) + 1_000_000);
    expect(again.clock.pending).toBe(0);
  });
});

describe('a history that is cut', () => {
  const caller = (id: number, text: string): HistoryItem => ({ type: 'caller', id, text });
  const agent = (id: number, text: string, calls: readonly string[] = []): HistoryItem => ({
    type: 'agent',
    id,
    text,
    heard: null,
    calls: calls.map((call) => ({ id: call, name: 'lookup', arguments: '{}' })),
    line: null,
  });
  const result = (id: number, toolCallId: string, length: number): HistoryItem => ({
    type: 'result',
    id,
    toolCallId,
    content: '😀'.repeat(length / 2),
  });

  it('begins with words of the caller and keeps a call with its results', () => {
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
    expect(sizeOf(kept)).toBeLessThanOrEqual(HISTORY_MAX_CHARACTERS / 2);
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
    expect(sizeOf(kept)).toBeLessThanOrEqual(HISTORY_MAX_CHARACTERS);
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
  const call = chatty(130, { agent: { max_call_duration: 14_400, language: 'de' }, summaries: ['Kurz.'] }).run(1_400);
  const { llm } = agentOf({});
  for (const { provider, model, functions, answerSchema } of call.summaries) {
    expect({ provider, model, functions }).toEqual({ provider: llm.provider, model: llm.model, functions: [] });
    expect(answerSchema?.name).toBe('summary');
  }
});
