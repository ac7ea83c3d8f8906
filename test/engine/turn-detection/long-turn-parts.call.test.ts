import { describe, expect, it } from 'vitest';
import { HISTORY_CHARACTERS_MAX } from '../../../engine/history-summary/history-budget.ts';
import { MODEL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const SENTENCE = 'and then the weather in the north will be rather cold with rain and';

/** A user who never pauses: a numbered final every 2 s, then silence. */
function longTurn(finals: number, overrides: Partial<Scenario> = {}): Simulation {
  const call = new Simulation({ agent: { max_call_duration: 14_400 }, ...overrides });
  call.at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }));
  for (let index = 0; index < finals; index++) {
    const from = 1 + index * 2;
    call.at(from + 2, (call) => call.emitFinal(from, from + 2, `${index} ${SENTENCE}`));
  }
  const endMs = 1_000 + finals * 2_000;
  return call.at(endMs / 1000 + 0.1, (call) => call.media.emit({ type: 'speech_stopped', audioMs: endMs }));
}

describe('a very long user turn', () => {
  it('enters the transcript in parts, and is answered once as a whole', () => {
    const call = longTurn(100).runUntil(300);
    const wholeText = Array.from({ length: 100 }, (_, index) => `${index} ${SENTENCE}`).join(' ');
    const userEntries = call.transcript.filter(({ role }) => role === 'user');
    expect(userEntries.map(({ content }) => content).join(' ')).toBe(wholeText);
    expect(userEntries.length).toBeGreaterThan(3);
    expect(userEntries.map(({ startUs }) => startUs)).toEqual(
      userEntries.map(({ startUs }) => startUs).toSorted((a, b) => a - b),
    );
    expect(userEntries.slice(1).map(({ startUs }) => startUs)).toEqual(
      userEntries.slice(0, -1).map(({ endUs }) => endUs),
    );
    expect(call.modelRequests.map(({ messages }) => messages.slice(1))).toEqual([
      [{ role: 'user', content: wholeText }],
    ]);
    expect(call.turns.map(({ turn }) => turn)).toEqual([1]);
    expectReplay(call);
  });

  it('has bounded journal entries, and stays within the history budget', () => {
    const call = longTurn(1_600, { summaries: ['It will rain.', 'It will rain.'] }).runUntil(3_300);
    const contentLengths = call.journalEntries('transcript').map(({ entry }) => entry.content.length);
    expect(Math.max(...contentLengths)).toBeLessThan(2_200);
    expect(call.modelRequests).toHaveLength(1);
    expect(JSON.stringify(call.modelRequests[0]?.messages.slice(1)).length).toBeLessThan(HISTORY_CHARACTERS_MAX);
    expect(call.modelRequests[0]?.messages[0]?.content).toContain('It will rain.');
    expect(call.modelRequests[0]?.messages.at(-1)?.content).toContain(`1599 ${SENTENCE}`);
  });

  it('reaches the monologue limit counted from its first word', () => {
    const call = longTurn(200, { agent: { max_monologue: 300 } }).runUntil(310);
    expect(call.turns.map(({ turn }) => turn)).toEqual([1]);
    expect(call.heard[0]?.fromMs).toBe(1_000 + 300_000 + MODEL_MS + VOICE_MS);
  });
});
