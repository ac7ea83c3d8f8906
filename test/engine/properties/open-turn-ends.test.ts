import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENDPOINT_BOUNDS } from '../../../engine/turn-detection/endpoint-delay.ts';
import type { ModelResponse } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';
import { type SpokenUtterance, StreamedSpeech } from '../simulation/streamed-speech.ts';
import { PROVIDER_ERROR } from './property-agent.ts';
import { PROPERTY_TIMEOUT_MS, propertyRuns } from './property-runs.ts';

const QUESTION: SpokenUtterance = { startMs: 500, text: 'When do you open?' };
/** End of its voice activity: 300 ms a word, and a hangover. */
const QUESTION_END_MS = 1_800;
const END_MS = 45_000;
/** The longest time from the end of the turn to a filler or an answer: the clock of silence, one more sound, and the voice. */
const SOUND_AFTER_TURN_MS_MAX = 6_000;
/** A lost stream delays the end of a turn by its successors: an open that hangs, retries, and the words of audio sent again. */
const LOST_STREAM_MS_MAX = 10_000;
/**
 * A user who has said a complete sentence hears the agent within this time, whatever follows: words of a transcriber
 * without interims are waited for longer.
 */
const FIRST_SOUND_MS_MAX = {
  withInterims: ENDPOINT_BOUNDS.soundsMs + SOUND_AFTER_TURN_MS_MAX,
  withoutInterims: ENDPOINT_BOUNDS.mostMs + SOUND_AFTER_TURN_MS_MAX,
} as const;

const anyDisturbance = fc.record({
  gapMs: fc.integer({ min: 120, max: 4_000 }),
  soundMs: fc.oneof(fc.integer({ min: 60, max: 800 }), fc.integer({ min: 60, max: 6_000 })),
  words: fc.constantFrom(null, null, null, 'Hello?', 'Mhm.', 'Are you there?', QUESTION.text),
});

/** The sounds of the user after the question, without words or with words that ask nothing new; often at regular times. */
const anyDisturbances = fc.oneof(
  fc.array(anyDisturbance, { maxLength: 25 }),
  fc
    .tuple(anyDisturbance, fc.integer({ min: 3, max: 40 }))
    .map(([same, count]) => Array.from({ length: count }, () => same)),
);

/** Often slow each time. */
const anyResponse: fc.Arbitrary<ModelResponse> = fc
  .tuple(
    fc.integer({ min: 1, max: 90 }),
    fc.constantFrom<ModelResponse>({}, {}, { failsWith: { retryable: true } }, { stalls: true }),
  )
  .map(([tenths, outcome]) => ({ text: 'We open at nine. We close at six.', after: tenths / 10, ...outcome }));

const anyCall = fc.record({
  disturbances: anyDisturbances,
  model: fc.oneof(
    fc.array(anyResponse, { minLength: 1, maxLength: 12 }),
    anyResponse.map((same) => Array.from({ length: 20 }, () => same)),
  ),
  finalP99Ms: fc.integer({ min: 200, max: 1_700 }),
});

interface Disturbance {
  readonly gapMs: number;
  readonly soundMs: number;
  readonly words: string | null;
}

/** Plans the sounds; returns the words among them. */
function disturb(call: Simulation, disturbances: readonly Disturbance[]): readonly SpokenUtterance[] {
  const said: SpokenUtterance[] = [];
  let atMs = QUESTION_END_MS;
  for (const { gapMs, soundMs, words } of disturbances) {
    const startMs = Math.round((atMs + gapMs) / 20) * 20;
    const lengthMs = words === null ? soundMs : words.split(' ').length * 300 + 100;
    atMs = startMs + lengthMs;
    if (atMs > END_MS - 5_000) break;
    if (words !== null) said.push({ startMs, text: words });
    else {
      const stopMs = atMs;
      call.at(startMs / 1000, ({ media }) => media.emit({ type: 'speech_started', audioMs: startMs }));
      call.at(stopMs / 1000, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: stopMs }));
    }
  }
  return said;
}

const firstSoundMs = (call: Simulation) => call.heard[0]?.fromMs ?? Number.POSITIVE_INFINITY;

describe('a user who has said a complete sentence', () => {
  it(
    'hears the agent in time, whatever sounds and calls follow, and however often the transcriber is lost',
    () => {
      const anyStreamedCall = fc.record({
        call: anyCall,
        lossesMs: fc.uniqueArray(
          fc.integer({ min: 30, max: 400 }).map((packets) => packets * 20),
          { maxLength: 2 },
        ),
        timing: fc.record({
          lagMs: fc.integer({ min: 0, max: 600 }),
          finalMs: fc.integer({ min: 100, max: 1_500 }),
          interims: fc.boolean(),
          wordTimes: fc.boolean(),
        }),
        readyMs: fc.integer({ min: 20, max: 2_000 }),
      });
      fc.assert(
        fc.property(anyStreamedCall, ({ call: { disturbances, model, finalP99Ms }, lossesMs, timing, readyMs }) => {
          const call = new Simulation({
            agent: {},
            model,
            parameters: { transcriberTraits: { detectsTurns: false, finalP99Ms } },
            transcriberStreams: [{ neverReady: true }, ...lossesMs.map(() => ({ readyAfter: readyMs / 1000 }))],
          });
          const failed = { type: 'failed', error: PROVIDER_ERROR } as const;
          for (const lossMs of lossesMs) call.at(lossMs / 1000, () => call.emitTranscriberEvent(failed));
          const said = disturb(call, disturbances);
          new StreamedSpeech(call, [QUESTION, ...said], timing).runUntil(END_MS);
          const boundMs = FIRST_SOUND_MS_MAX.withoutInterims + lossesMs.length * LOST_STREAM_MS_MAX;
          expect(firstSoundMs(call)).toBeLessThanOrEqual(QUESTION_END_MS + boundMs);
        }),
        { numRuns: propertyRuns(40) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );

  it(
    'hears the agent in time, whatever sounds and calls follow, if the transcriber detects turns',
    () => {
      fc.assert(
        fc.property(anyCall, fc.integer({ min: 100, max: 900 }), ({ disturbances, model, finalP99Ms }, endedMs) => {
          const transcriberTraits = { detectsTurns: true, finalP99Ms };
          const call = new Simulation({ agent: {}, model, parameters: { transcriberTraits } });
          for (const { startMs, text } of [QUESTION, ...disturb(call, disturbances)]) {
            const endMs = startMs + text.split(' ').length * 300 + 100;
            const turn = { type: 'turn', text, startMs, endMs } as const;
            call
              .at(startMs / 1000, ({ media }) => media.emit({ type: 'speech_started', audioMs: startMs }))
              .at((startMs + 250) / 1000, () =>
                call.emitTranscriberEvent({ ...turn, phase: 'updated', endMs: startMs + 250 }),
              )
              .at(endMs / 1000, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: endMs }))
              .at((endMs + endedMs) / 1000, () => call.emitTranscriberEvent({ ...turn, phase: 'ended' }));
          }
          call.runUntil(END_MS / 1000);
          expect(firstSoundMs(call)).toBeLessThanOrEqual(QUESTION_END_MS + FIRST_SOUND_MS_MAX.withInterims);
        }),
        { numRuns: propertyRuns(40) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});
