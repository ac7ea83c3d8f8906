import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROPERTY_TIMEOUT_MS, runs } from '../properties/runs.ts';
import { refusals } from '../properties/strict-provider.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };
const AGENT = {
  max_monologue: 5,
  states: [{ name: 'start', tools: [LOOKUP] }],
};
const parameters = { transcriberTraits: { detectsTurns: true, finalP99Ms: 400 } };

/** One turn of the user: words two a second, where it probably ends at the same time, and whether that is taken back. */
const spokenTurn = fc.record({
  pauseMs: fc.integer({ min: 200, max: 4_000 }),
  words: fc.integer({ min: 1, max: 25 }),
  eagerAt: fc.array(fc.nat(25), { maxLength: 4 }),
  resumes: fc.boolean(),
  endsAfterMs: fc.constantFrom(50, 400, 1_500),
});
const answer = fc.record({
  after: fc.constantFrom(0.05, 0.4, 2),
  text: fc.constantFrom('Yes.', 'Let me see. That is possible.'),
  toolCalls: fc.constantFrom([], [], [{ name: 'lookup' }]),
});
type SpokenTurn = typeof spokenTurn extends fc.Arbitrary<infer T> ? T : never;

/** Gives the user the turn; its words are numbered, so that each can be found again. Tells when it is over. */
function speak(call: Simulation, fromMs: number, firstWord: number, turn: SpokenTurn): number {
  const startMs = fromMs + turn.pauseMs;
  const tell = (phase: 'started' | 'updated' | 'eager_end' | 'resumed' | 'ended', count: number, atMs: number) => {
    const text = Array.from({ length: count }, (_, index) => `w${firstWord + index}`).join(' ');
    call.at(atMs / 1000, (one) =>
      one.emitTranscriberEvent({ type: 'turn', phase, text, startMs, endMs: startMs + count * 500 }),
    );
  };
  const endMs = startMs + turn.words * 500 + 100 + turn.endsAfterMs;
  for (let count = 1; count <= turn.words; count++) {
    const atMs = startMs + count * 500 + 100;
    tell(count === 1 ? 'started' : 'updated', count, atMs);
    if (turn.eagerAt.includes(count)) tell('eager_end', count, atMs + 50);
    if (turn.eagerAt.includes(count) && turn.resumes && atMs + 300 < endMs) tell('resumed', count, atMs + 300);
  }
  tell('ended', turn.words, endMs);
  return endMs;
}

describe('a transcriber that detects turns', () => {
  it(
    'loses no word and tells none twice, whatever is asked ahead, dropped or cut short',
    () => {
      fc.assert(
        fc.property(
          fc.array(spokenTurn, { minLength: 1, maxLength: 4 }),
          fc.array(answer, { maxLength: 8 }),
          fc.boolean(),
          (turns, model, interruptions) => {
            const agent = { ...AGENT, interruptions };
            const call = new Simulation({ agent, parameters, model });
            let [atMs, word] = [500, 0];
            for (const turn of turns) {
              atMs = speak(call, atMs, word, turn);
              word += turn.words;
            }
            call.runUntil(atMs / 1000 + 60);
            const said = call.dialogue.filter((line) => line.startsWith('user: ')).map((line) => line.slice(6));
            expect(said.join(' ').split(' ')).toEqual(Array.from({ length: word }, (_, index) => `w${index}`));
            const told = call.modelRequests
              .at(-1)
              ?.messages.flatMap((one) => (one.role === 'user' ? [one.content] : []));
            expect(told?.join(' ').match(/\bw\d+/g)).toEqual(said.join(' ').split(' '));
            for (const request of call.modelRequests) expect(refusals(request)).toEqual([]);
            // What was asked ahead and dropped is neither heard nor known.
            const heard = call.dialogue.filter((line) => line.startsWith('agent: '));
            const spoken = call.commands.flatMap((one) => (one.type === 'voice.speak' ? [one.text] : []));
            if (!interruptions) expect(heard.map((line) => line.slice(7)).join(' ')).toBe(spoken.join(' '));
            expect(call.toolRuns.length).toBe(call.transcript.filter(({ role }) => role === 'tool_call').length);
            expect(call.handle.view().agentState).toBe('listening');
            call.hangUpAt(atMs / 1000 + 61).runUntil(atMs / 1000 + 70);
            expect(call.clock.pending).toBe(0);
            expectReplay(call);
          },
        ),
        { numRuns: runs(200) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});
