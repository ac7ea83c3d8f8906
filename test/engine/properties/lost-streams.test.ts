import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';
import { StreamedSpeech } from '../simulation/streamed-speech.ts';
import { PROVIDER_ERROR } from './property-agent.ts';
import { PROPERTY_TIMEOUT_MS, propertyRuns } from './property-runs.ts';

/** The second question comes after the answer to the first one, even if a third stream is lost late and its successor is slow. */
const QUESTIONS = [
  { startMs: 1_000, text: 'Who are you?' },
  { startMs: 50_000, text: 'Where do your people live?' },
];
const END_MS = 62_000;
/** Speech without words that is older than this when a stream is lost is not sent to the next one. */
const RESEND_MS_MAX = 15_000;

const anyCall = fc.record({
  /** In steps of a packet: mostly around the first question and its answer. */
  lossesMs: fc.uniqueArray(
    fc.oneof(fc.integer({ min: 50, max: 450 }), fc.integer({ min: 10, max: 1_600 })).map((packets) => packets * 20),
    { minLength: 1, maxLength: 3 },
  ),
  successorLagsMs: fc.array(fc.integer({ min: 0, max: 9_000 }), { maxLength: 3 }),
  readyMs: fc.integer({ min: 20, max: 2_000 }),
  lagMs: fc.integer({ min: 0, max: 600 }),
  finalMs: fc.integer({ min: 100, max: 2_000 }),
  interims: fc.boolean(),
  wordTimes: fc.boolean(),
  catchUpSpeed: fc.constantFrom(1.5, 3, 1_000),
});

describe('a call whose transcriber is lost at any moments', () => {
  it(
    'has every word of the user once, in one entry for each question',
    () => {
      fc.assert(
        fc.property(anyCall, ({ lossesMs, successorLagsMs, readyMs, ...timing }) => {
          const stream = { readyAfter: readyMs / 1000 };
          const call = new Simulation({
            agent: { states: [{ name: 'start', variables: [{ name: 'topic' }] }] },
            model: [{ text: 'I am the agent. I want to help you with all of your questions.' }],
            transcriberStreams: [{ neverReady: true }, ...lossesMs.map(() => stream)],
          });
          const failed = { type: 'failed', error: PROVIDER_ERROR } as const;
          const speech = new StreamedSpeech(call, QUESTIONS, timing, successorLagsMs);
          let isTooOld = false;
          for (const lossMs of lossesMs) {
            call.at(lossMs / 1000, () => {
              for (const [index, { startMs }] of QUESTIONS.entries())
                isTooOld ||= lossMs - startMs > RESEND_MS_MAX && !speech.hasFinal(index);
              call.emitTranscriberEvent(failed);
            });
          }
          speech.runUntil(END_MS);
          fc.pre(!isTooOld);
          const entries = call.transcript.filter(({ role }) => role === 'user');
          expect(entries.map(({ content }) => content)).toEqual(QUESTIONS.map(({ text }) => text));
          expect(call.faultNotices).toEqual([]);
          expectReplay(call);
        }),
        { numRuns: propertyRuns(40) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});
