import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROPERTY_TIMEOUT_MS, propertyRuns } from '../properties/property-runs.ts';
import { rejectionReasons } from '../properties/strict-provider.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };
const AGENT = {
  max_monologue: 5,
  states: [{ name: 'start', tools: [LOOKUP] }],
};
const parameters = { transcriberTraits: { detectsTurns: true, finalP99Ms: 400 } };

/** One user turn: two words a second, the words after which an eager end follows, and whether the turn resumes then. */
const spokenTurn = fc.record({
  pauseMs: fc.integer({ min: 200, max: 4_000 }),
  words: fc.integer({ min: 1, max: 25 }),
  eagerAt: fc.array(fc.nat(25), { maxLength: 4 }),
  resumes: fc.boolean(),
  endsAfterMs: fc.constantFrom(50, 400, 1_500),
});
const modelResponse = fc.record({
  after: fc.constantFrom(0.05, 0.4, 2),
  text: fc.constantFrom('Yes.', 'Let me see. That is possible.'),
  toolCalls: fc.constantFrom([], [], [{ name: 'lookup' }]),
});
type SpokenTurn = typeof spokenTurn extends fc.Arbitrary<infer T> ? T : never;

/** Schedules the turn with numbered words, and returns the time of its end. */
function scheduleTurn(call: Simulation, fromMs: number, firstWord: number, turn: SpokenTurn): number {
  const startMs = fromMs + turn.pauseMs;
  const report = (phase: 'started' | 'updated' | 'eager_end' | 'resumed' | 'ended', count: number, atMs: number) => {
    const text = Array.from({ length: count }, (_, index) => `w${firstWord + index}`).join(' ');
    call.at(atMs / 1000, (call) =>
      call.emitTranscriberEvent({ type: 'turn', phase, text, startMs, endMs: startMs + count * 500 }),
    );
  };
  const endMs = startMs + turn.words * 500 + 100 + turn.endsAfterMs;
  for (let count = 1; count <= turn.words; count++) {
    const atMs = startMs + count * 500 + 100;
    report(count === 1 ? 'started' : 'updated', count, atMs);
    if (turn.eagerAt.includes(count)) report('eager_end', count, atMs + 50);
    if (turn.eagerAt.includes(count) && turn.resumes && atMs + 300 < endMs) report('resumed', count, atMs + 300);
  }
  report('ended', turn.words, endMs);
  return endMs;
}

describe('a transcriber that detects turns', () => {
  it(
    'loses and repeats no word, whatever generations are eager, dropped or interrupted',
    () => {
      fc.assert(
        fc.property(
          fc.array(spokenTurn, { minLength: 1, maxLength: 4 }),
          fc.array(modelResponse, { maxLength: 8 }),
          fc.boolean(),
          (turns, model, interruptions) => {
            const agent = { ...AGENT, interruptions };
            const call = new Simulation({ agent, parameters, model });
            let [atMs, wordCount] = [500, 0];
            for (const turn of turns) {
              atMs = scheduleTurn(call, atMs, wordCount, turn);
              wordCount += turn.words;
            }
            call.runUntil(atMs / 1000 + 60);
            const userTexts = call.dialogue.filter((text) => text.startsWith('user: ')).map((text) => text.slice(6));
            expect(userTexts.join(' ').split(' ')).toEqual(
              Array.from({ length: wordCount }, (_, index) => `w${index}`),
            );
            const userMessages = call.modelRequests
              .at(-1)
              ?.messages.flatMap((message) =>
                message.role === 'user' && !message.content.startsWith('[') ? [message.content] : [],
              );
            expect(userMessages?.join(' ').match(/\bw\d+/g)).toEqual(userTexts.join(' ').split(' '));
            for (const request of call.modelRequests) expect(rejectionReasons(request)).toEqual([]);
            // Nothing of a withdrawn answer is heard or enters the transcript.
            const agentTexts = call.dialogue.filter((text) => text.startsWith('agent: '));
            if (!interruptions)
              expect(agentTexts.map((text) => text.slice(7)).join(' ')).toBe(call.heardTexts.join(' '));
            expect(call.toolRuns.length).toBe(call.transcript.filter(({ role }) => role === 'tool_call').length);
            expect(call.handle.view().agentState).toBe('listening');
            call.hangUpAt(atMs / 1000 + 61).runUntil(atMs / 1000 + 70);
            expect(call.clock.pending).toBe(0);
            expectReplay(call);
          },
        ),
        { numRuns: propertyRuns(60) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});
