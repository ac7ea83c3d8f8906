import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROPERTY_TIMEOUT_MS, propertyRuns } from '../properties/property-runs.ts';
import { rejectionReasons } from '../properties/strict-provider.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

/** A part of the user's speech, two words a second, and how the transcriber reports it. */
const anyPart = fc.record({
  pauseMs: fc.integer({ min: 100, max: 4_000 }),
  words: fc.integer({ min: 1, max: 16 }),
  /** From the end of speech to the final. It may exceed the percentile of 400 ms. */
  finalMs: fc.integer({ min: 50, max: 900 }),
  interims: fc.boolean(),
  activity: fc.boolean(),
  wordTimes: fc.boolean(),
});
const modelResponse = fc.record({
  after: fc.constantFrom(0.05, 0.4, 2),
  text: fc.constantFrom('Yes.', 'Let me see. That is possible.'),
});
type SpeechPart = typeof anyPart extends fc.Arbitrary<infer T> ? T : never;

/** Schedules the part with numbered words, and returns the time of its final. */
function schedulePart(call: Simulation, fromMs: number, firstWord: number, part: SpeechPart): number {
  const startMs = fromMs + part.pauseMs;
  const endMs = startMs + part.words * 500;
  const words = Array.from({ length: part.words }, (_, index) => ({
    text: `w${firstWord + index}`,
    startMs: startMs + index * 500,
    endMs: startMs + (index + 1) * 500,
  }));
  const text = (count: number) =>
    words
      .slice(0, count)
      .map((wordCount) => wordCount.text)
      .join(' ');
  if (part.activity) {
    call.at(startMs / 1000, (call) => call.media.emit({ type: 'speech_started', audioMs: startMs }));
    call.at(endMs / 1000, (call) => call.media.emit({ type: 'speech_stopped', audioMs: endMs }));
  }
  for (let count = 1; part.interims && count < part.words; count++) {
    const untilMs = startMs + count * 500;
    call.at((untilMs + 100) / 1000, (call) =>
      call.emitTranscriberEvent({ type: 'interim', text: text(count), startMs, endMs: untilMs }),
    );
  }
  call.at((endMs + part.finalMs) / 1000, (call) =>
    call.emitTranscriberEvent({
      type: 'final',
      text: text(part.words),
      words: part.wordTimes ? words : [],
      startMs,
      endMs,
    }),
  );
  return endMs + part.finalMs;
}

describe('a transcriber that reports finals', () => {
  it(
    'loses and repeats no word, wherever a turn is committed',
    () => {
      fc.assert(
        fc.property(
          fc.array(anyPart, { minLength: 1, maxLength: 4 }),
          fc.array(modelResponse, { maxLength: 8 }),
          fc.boolean(),
          (parts, model, interruptions) => {
            const agent = { max_monologue: 5, interruptions };
            const call = new Simulation({ agent, model });
            let [atMs, wordCount] = [500, 0];
            for (const part of parts) {
              atMs = schedulePart(call, atMs, wordCount, part);
              wordCount += part.words;
            }
            call.runUntil(atMs / 1000 + 60);
            const userTexts = call.dialogue
              .filter((utterance) => utterance.startsWith('user: '))
              .map((utterance) => utterance.slice(6));
            expect(userTexts.join(' ').split(' ')).toEqual(
              Array.from({ length: wordCount }, (_, index) => `w${index}`),
            );
            const userMessages = call.modelRequests
              .at(-1)
              ?.messages.flatMap(({ role, content }) => (role === 'user' && !content.startsWith('[') ? [content] : []));
            expect(userMessages?.join(' ').match(/\bw\d+/g)).toEqual(userTexts.join(' ').split(' '));
            for (const request of call.modelRequests) expect(rejectionReasons(request)).toEqual([]);
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
