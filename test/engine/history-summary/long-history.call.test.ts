import { describe, expect, it } from 'vitest';
import { HISTORY_CHARACTERS_MAX, TURNS_KEPT } from '../../../engine/history-summary/history-budget.ts';
import type { ModelRequest } from '../../../engine/ports/language-model.ts';
import { readRecordedResponses } from '../../../engine/tape/re-simulation/read-recorded-responses.ts';
import { rejectionReasons } from '../properties/strict-provider.ts';
import { expectReplay, tapeHeaderOf } from '../simulation/expect-replay.ts';
import { conversationLength, longCall } from '../simulation/long-call.ts';

const joinedContents = (requests: readonly ModelRequest[]) =>
  requests.flatMap(({ messages }) => messages.map(({ content }) => content)).join('\n');

describe('the history of a two-hour call', () => {
  const summaries = Array.from({ length: 20 }, (_, index) => `SUMMARY ${index + 1}.`);
  const call = longCall(720, { summaries }).runUntil(7_300);

  it('never exceeds its budget, and a strict provider accepts every request', () => {
    expect(call.modelRequests.length).toBeGreaterThan(900);
    const sizes = call.modelRequests.map(conversationLength);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(HISTORY_CHARACTERS_MAX);
    expect(Math.max(...sizes)).toBeGreaterThan(HISTORY_CHARACTERS_MAX * 0.9);
    for (const request of [...call.modelRequests, ...call.summaryRequests])
      expect(rejectionReasons(request)).toEqual([]);
    expect(call.notices).toEqual([]);
  });

  it('keeps the last turns word for word', () => {
    for (const [index, { messages }] of call.modelRequests.entries()) {
      const userTexts = messages.flatMap((message) => (message.role === 'user' ? [message.content] : []));
      const last = Number(/\d+/.exec(userTexts.at(-1) ?? '')?.[0]);
      const expected = Array.from(
        { length: Math.min(TURNS_KEPT, last + 1) },
        (_, back) => `Turn number ${last - back}.`,
      );
      expect(userTexts.slice(-TURNS_KEPT), `request ${index}`).toEqual(expected.toReversed());
    }
  });

  it('is summarised turn by turn without a gap, and each request contains the previous summary', () => {
    expect(call.summaryRequests.length).toBeGreaterThan(3);
    const turns = call.summaryRequests.flatMap(({ messages }) =>
      [...(messages[1]?.content ?? '').matchAll(/^Caller: Turn number (\d+)\.$/gm)].map((match) => Number(match[1])),
    );
    expect(turns).toEqual(turns.map((_, index) => index));
    expect(joinedContents(call.summaryRequests.slice(0, 1))).not.toContain('SUMMARY');
    for (const [index, { messages }] of call.summaryRequests.slice(1).entries()) {
      expect(messages[1]?.content).toContain(`Summary of what came before:\n"SUMMARY ${index + 1}."`);
    }
    expect(call.modelRequests.at(-1)?.messages[0]?.content).toContain(`SUMMARY ${call.summaryRequests.length}.`);
  });

  it('does not delay the conversation request by a summary request', () => {
    const entriesWithRequest = call.tape.filter(({ commands }) =>
      commands.some(({ type }) => type === 'summary.request'),
    );
    // An eager generation is adopted, or the model is asked: either way the deadline of the first token begins.
    for (const { commands } of entriesWithRequest)
      expect(commands.some((command) => command.type === 'timer.start' && command.timer === 'generation')).toBe(true);
  });

  it('replays exactly, and its tape contains the summaries', () => {
    expectReplay(call);
    const first = call.tape.findIndex(({ event }) => event.type === 'summary.done');
    const [answer] = readRecordedResponses({
      header: tapeHeaderOf(call),
      entries: call.tape.slice(0, first + 1),
    }).extractions;
    expect(answer?.request).toEqual(call.summaryRequests[0]);
    expect(answer?.events.map(({ delayMs, event }) => [delayMs, event])).toEqual([
      [2_000, { type: 'text', text: '{"summary":"SUMMARY 1."}' }],
      [2_000, { type: 'done', finish: 'stop' }],
    ]);
  });
});
