import { describe, expect, it } from 'vitest';
import { HISTORY_MAX_CHARACTERS } from '../../../engine/history-summary/history-budget.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const SENTENCE = 'and then the weather in the north will be rather cold with rain and';

/** Somebody who never pauses: a final every 2 s, numbered, and then silence. */
function radio(finals: number, given: Partial<Scenario> = {}): Simulation {
  const call = new Simulation({ agent: { max_call_duration: 14_400 }, ...given });
  call.at(1, (one) => one.media.emit({ type: 'speech_started', audioMs: 1_000 }));
  for (let nth = 0; nth < finals; nth++) {
    const from = 1 + nth * 2;
    call.at(from + 2, (one) => one.emitFinal(from, from + 2, `${nth} ${SENTENCE}`, false));
  }
  const endMs = 1_000 + finals * 2_000;
  return call.at(endMs / 1000 + 0.1, (one) => one.media.emit({ type: 'speech_stopped', audioMs: endMs }));
}

describe('a turn that goes on and on', () => {
  it('is written down in parts, in order, and answered once, whole', () => {
    const call = radio(100).runUntil(300);
    const all = Array.from({ length: 100 }, (_, nth) => `${nth} ${SENTENCE}`).join(' ');
    const lines = call.transcript.filter(({ role }) => role === 'user');
    expect(lines.map(({ content }) => content).join(' ')).toBe(all);
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.map(({ startUs }) => startUs)).toEqual(lines.map(({ startUs }) => startUs).toSorted((a, b) => a - b));
    expect(lines.slice(1).map(({ startUs }) => startUs)).toEqual(lines.slice(0, -1).map(({ endUs }) => endUs));
    expect(call.modelRequests.map(({ messages }) => messages.slice(1))).toEqual([[{ role: 'user', content: all }]]);
    expect(call.journalEntries('turn_metrics').map(({ metrics }) => metrics.turn)).toEqual([1]);
    expectReplay(call);
  });

  it('costs each word the same, and is told the model within its budget', () => {
    const call = radio(1_600, { summaries: ['It will rain.', 'It will rain.'] }).runUntil(3_300);
    const written = call.journalEntries('transcript').map(({ entry }) => entry.content.length);
    expect(Math.max(...written)).toBeLessThan(2_200);
    expect(call.modelRequests).toHaveLength(1);
    expect(JSON.stringify(call.modelRequests[0]?.messages.slice(1)).length).toBeLessThan(HISTORY_MAX_CHARACTERS);
    expect(call.modelRequests[0]?.messages[0]?.content).toContain('It will rain.');
    expect(call.modelRequests[0]?.messages.at(-1)?.content).toContain(`1599 ${SENTENCE}`);
  });

  it('is as long as its first word tells, where the agent may interrupt', () => {
    const call = radio(200, { agent: { max_monologue: 300 } }).runUntil(310);
    expect(call.journalEntries('turn_metrics').map(({ metrics }) => metrics.turn)).toEqual([1]);
    expect(call.heard[0]?.fromMs).toBe(301_300);
  });
});
