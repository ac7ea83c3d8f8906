import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHARACTER_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';
import {
  anyDisturbedCall,
  DisturbedCall,
  type Interval,
  SAID_TEXT,
  type Stretch,
  spokenStretches,
} from './disturbed-call.ts';
import { PROPERTY_TIMEOUT_MS, propertyRuns } from './property-runs.ts';
import { rejectionReasons } from './strict-provider.ts';

const LOOKUP = {
  type: 'custom_function' as const,
  name: 'lookup',
  url: 'https://example.com',
  filler_sentence: 'I look it up for you now.',
};
/** A last utterance long after the others: its request shows the whole history. */
const LAST: Stretch = { pauseMs: 30_000, words: 4, interims: 'all', wordTimes: true, finalMs: 200, doubledMs: null };
const LAST_ANSWER_MS = 16_000;
/**
 * From the user's last word or sound to the agent's first sound, while an answer is pending: a late final (3 s), the longest pause (1.8 s)
 * and the model's failures, covered by «One moment» after 3 s.
 */
const SILENCE_MS_MAX = 8_000;
/** From a failed response to the next request, even if the user speaks first. */
const ASKED_AGAIN_MS_MAX = 14_000;
/** The first sentence of the default message. */
const FAILED_TURN = 'I am sorry, I have lost the thread.';
const NUMBERED = /\b[a-j]+xyz\b/g;

/** The text that was played, whole, of all segments with this text. */
function timesHeardWhole(call: Simulation, text: string): number {
  const playedMs = new Map<number, number>();
  for (const { segment, fromMs, toMs } of call.media.sentAudio)
    if (call.textOf(segment) === text) playedMs.set(segment, (playedMs.get(segment) ?? 0) + toMs - fromMs);
  return [...playedMs.values()].filter((ms) => ms >= text.length * CHARACTER_MS - 1).length;
}

/** Waits for an answer that were longer than the bound: from a sound of the user with words to the agent's next. */
function longSilences(call: Simulation, stretches: readonly Interval[], sounds: readonly Interval[]): Interval[] {
  const agent = call.media.sentAudio.map(({ fromMs, toMs }) => ({ startMs: fromMs, endMs: toMs }));
  return stretches.flatMap(({ endMs }, index) => {
    const nextMs = stretches[index + 1]?.startMs ?? Number.POSITIVE_INFINITY;
    const heardMs = agent.find((sound) => sound.endMs > endMs)?.startMs ?? Number.POSITIVE_INFINITY;
    const untilMs = Math.min(nextMs, heardMs);
    // A sound of the user that the agent waits for.
    const quietMs = Math.max(endMs, ...sounds.filter((sound) => sound.startMs < untilMs).map((sound) => sound.endMs));
    return untilMs - Math.min(quietMs, untilMs) > SILENCE_MS_MAX ? [{ startMs: endMs, endMs: untilMs }] : [];
  });
}

/** The failures of the model that neither a request follows in time, nor the message of a turn that has failed. */
function unansweredFailures(call: Simulation): readonly number[] {
  const messagesMs = call.heard.filter(({ text }) => text === FAILED_TURN).map(({ fromMs }) => fromMs);
  const requestsMs = [...call.commandTimesMs('model.request'), ...messagesMs];
  return call.tape
    .filter(({ event }) => event.type === 'model.failed')
    .map(({ atUs }) => atUs / 1000)
    .filter((atMs) => !requestsMs.some((askedMs) => askedMs >= atMs && askedMs <= atMs + ASKED_AGAIN_MS_MAX));
}

describe('a call with doubled and late finals, echo, coughs, failures and replaced workers', () => {
  it(
    'keeps each word of the user once, one entry a turn, one result a tool call and each said text',
    () => {
      fc.assert(
        fc.property(
          anyDisturbedCall,
          ({ stretches, disturbances, model, lookupSeconds, interruptions, interruptible }) => {
            const lookup = { ...LOOKUP, interruptible: interruptible === 'all' || interruptible === 'announcement' };
            const state = { name: 'start', interruptible: interruptible === 'all' || interruptible === 'state' };
            const agent = { max_monologue: 60, interruptions, states: [{ ...state, tools: [lookup] }] };
            const tools = { lookup: { after: lookupSeconds, result: {} } };
            const call = new Simulation({ agent, model, tools });
            const spoken = spokenStretches([...stretches, LAST], 500);
            const disturbed = new DisturbedCall(call, spoken, disturbances);
            const endMs = (spoken.at(-1)?.endMs ?? 0) + LAST_ANSWER_MS;
            call.runUntil(endMs / 1000);

            const expected = spoken.flatMap(({ words }) => words.map(({ text }) => text));
            const entries = call.transcript.filter(({ role }) => role === 'user');
            expect(entries.flatMap(({ content }) => content.split(' '))).toEqual(expected);
            expect(entries.length).toBeLessThanOrEqual(spoken.length);
            const history = call.modelRequests
              .at(-1)
              ?.messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
            expect(history?.join(' ').match(NUMBERED)).toEqual(expected);
            for (const request of call.modelRequests) expect(rejectionReasons(request)).toEqual([]);
            expect(timesHeardWhole(call, SAID_TEXT)).toBe(disturbed.saidTexts);
            expect(longSilences(call, spoken, disturbed.sounds)).toEqual([]);
            expect(unansweredFailures(call)).toEqual([]);
            expect(call.faultNotices).toEqual([]);
            call.hangUpAt(endMs / 1000 + 1).runUntil(endMs / 1000 + 10);
            const calls = call.transcript.filter(({ role }) => role === 'tool_call').length;
            expect(call.journalEntries('tool_called')).toHaveLength(calls);
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
