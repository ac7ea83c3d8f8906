import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROPERTY_TIMEOUT_MS, runs } from '../properties/runs.ts';
import { refusals } from '../properties/strict-provider.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

/** What the user says in one breath, two words a second, and how the transcriber tells it. */
const segment = fc.record({
  pauseMs: fc.integer({ min: 100, max: 4_000 }),
  words: fc.integer({ min: 1, max: 16 }),
  /** End of speech to final: later than the percentile of 400 ms now and then, but before the next one is begun. */
  finalMs: fc.integer({ min: 50, max: 900 }),
  interims: fc.boolean(),
  activity: fc.boolean(),
  wordTimes: fc.boolean(),
});
const answer = fc.record({
  after: fc.constantFrom(0.05, 0.4, 2),
  text: fc.constantFrom('Yes.', 'Let me see. That is possible.'),
});
type Segment = typeof segment extends fc.Arbitrary<infer T> ? T : never;

/** Words are numbered, so that each can be found again. Tells when the segment's final is there. */
function speak(call: Simulation, fromMs: number, firstWord: number, given: Segment): number {
  const startMs = fromMs + given.pauseMs;
  const endMs = startMs + given.words * 500;
  const words = Array.from({ length: given.words }, (_, index) => ({
    text: `w${firstWord + index}`,
    startMs: startMs + index * 500,
    endMs: startMs + (index + 1) * 500,
  }));
  const text = (count: number) =>
    words
      .slice(0, count)
      .map((word) => word.text)
      .join(' ');
  if (given.activity) {
    call.at(startMs / 1000, (one) => one.media.emit({ type: 'speech_started', audioMs: startMs }));
    call.at(endMs / 1000, (one) => one.media.emit({ type: 'speech_stopped', audioMs: endMs }));
  }
  for (let count = 1; given.interims && count < given.words; count++) {
    const untilMs = startMs + count * 500;
    call.at((untilMs + 100) / 1000, (one) =>
      one.emitTranscriberEvent({ type: 'interim', text: text(count), startMs, endMs: untilMs }),
    );
  }
  call.at((endMs + given.finalMs) / 1000, (one) =>
    one.emitTranscriberEvent({
      type: 'final',
      text: text(given.words),
      words: given.wordTimes ? words : [],
      startMs,
      endMs,
      endOfTurn: true,
    }),
  );
  return endMs + given.finalMs;
}

describe('a transcriber that tells segments', () => {
  it(
    'loses no word and tells none twice, wherever a turn is taken',
    () => {
      fc.assert(
        fc.property(
          fc.array(segment, { minLength: 1, maxLength: 4 }),
          fc.array(answer, { maxLength: 8 }),
          fc.boolean(),
          (segments, model, interruptions) => {
            const agent = { max_monologue: 5, interruptions };
            const call = new Simulation({ agent, model });
            let [atMs, word] = [500, 0];
            for (const given of segments) {
              atMs = speak(call, atMs, word, given);
              word += given.words;
            }
            call.runUntil(atMs / 1000 + 60);
            const said = call.dialogue.filter((line) => line.startsWith('user: ')).map((line) => line.slice(6));
            expect(said.join(' ').split(' ')).toEqual(Array.from({ length: word }, (_, index) => `w${index}`));
            const told = call.modelRequests
              .at(-1)
              ?.messages.flatMap((one) => (one.role === 'user' ? [one.content] : []));
            expect(told?.join(' ').match(/\bw\d+/g)).toEqual(said.join(' ').split(' '));
            for (const request of call.modelRequests) expect(refusals(request)).toEqual([]);
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
