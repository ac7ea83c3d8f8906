import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PAUSE_BOUNDS_MS } from '../../../engine/completeness/end-of-turn-pause.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { ENDPOINT_BOUNDS, endpointDelayMs } from '../../../engine/turn-detection/endpoint-delay.ts';
import { openWordsEndMs } from '../../../engine/user-speech/open-speech.ts';
import { speechOf } from '../simulation/speech.ts';

/** The silence that ends a turn with the words of these tests. */
const PAUSE_MS = 200;
/** A sound without words withholds an answer for this long: from its start, and from the end of the words. */
const SOUND_MS = 2_500;
const WITHHELD_MS = 4_000;
/** The same while words may come only at its end. */
const UNREPORTED_MS = 10_000;
/** An interim shows by then whether a sound has words. */
const FIRST_INTERIM_MS = 1_000;
const TRAITS = { detectsTurns: false, finalP99Ms: 400 };

function delay(
  userTurn: Partial<typeof SILENT_USER>,
  nowMs: number,
  traits = TRAITS,
  finalLatenciesMs: readonly number[] = [],
  pauseMs = PAUSE_MS,
  sendsInterims: boolean | null = null,
  hadEnded = false,
  agentSoundUs = 0,
) {
  const turn = { ...SILENT_USER, endedUs: 1_000_000, ...userTurn };
  return endpointDelayMs({
    userTurn: turn,
    newWords: () => ({ endMs: openWordsEndMs(turn.speech), count: 0, isAskedAgain: false }),
    traits,
    providerEndsTurns: traits.detectsTurns,
    finalLatenciesMs,
    sendsInterims,
    hearsBackground: false,
    hadEnded,
    agentSoundUs,
    pauseMs,
    nowUs: nowMs * 1000,
    audioClock: { epochUs: 0, gaps: [] },
  });
}

describe('the endpoint delay', () => {
  it('counts from the end of the speech, not from the final', () => {
    expect(delay({ speech: speechOf({ finals: ['Yes.'] }), endOfTurn: true }, 1_150)).toBe(50);
    expect(delay({ speech: speechOf({ finals: ['Yes.'] }), endOfTurn: true }, 1_200)).toBe(0);
    expect(delay({ speech: speechOf({ finals: ['Yes.'] }), endOfTurn: true }, 9_000)).toBe(0);
  });

  it('leaves time for words that were spoken after the last final', () => {
    const delayAfterFinal = (finalMs: number) =>
      delay({ speech: speechOf({ finals: ['Yes.'], finalEndMs: finalMs }) }, 1_000);
    expect(delayAfterFinal(1_000)).toBe(200);
    expect(delayAfterFinal(600)).toBe(200);
    expect(delayAfterFinal(599)).toBe(1_200);
  });

  it('includes the provider’s latency while a final is missing', () => {
    expect(delay({ speech: speechOf({ interim: 'Yes', interimEndMs: 900 }) }, 1_000)).toBe(500);
    const open = { speech: speechOf({ interim: 'Yes and', interimEndMs: 900 }) };
    expect(delay(open, 1_000, TRAITS, [], 1_500)).toBe(1_500);
  });

  it('is only an upper bound while the user speaks', () => {
    expect(delay({ speaking: true, startedUs: 1_000_000, endedUs: null }, 3_000)).toBe(8_000);
    expect(delay({ speaking: true, speech: speechOf({ interim: 'Yes', interimEndMs: 900 }) }, 1_000)).toBe(5_000);
    expect(delay({ speaking: true, speech: speechOf({ finals: ['Yes.'] }) }, 1_000)).toBe(2_500);
    expect(delay({ speaking: true, speech: speechOf({ finals: ['Yes.'] }), endOfTurn: true }, 1_000)).toBe(200);
  });

  it('is only an upper bound if the transcriber detects turns', () => {
    expect(delay({ speech: speechOf({ interim: 'Yes.' }) }, 1_000, { detectsTurns: true, finalP99Ms: 400 })).toBe(
      2_500,
    );
  });

  it('while the user speaks on after a final is longer if the transcriber sends no interims', () => {
    const goesOn = { speaking: true, speech: speechOf({ finals: ['Yes.'] }) };
    expect(delay(goesOn, 1_000, TRAITS, [], PAUSE_MS, true)).toBe(2_500);
    expect(delay(goesOn, 1_000, TRAITS, [], PAUSE_MS, false)).toBe(10_000);
  });

  it.each([
    // The words end at 1 s, and the sound withholds the answer from then on.
    [2_400, true, 2_400 + SOUND_MS],
    [2_600, true, 1_000 + WITHHELD_MS],
    [3_400, true, 1_000 + WITHHELD_MS],
    [4_200, true, 4_200 + FIRST_INTERIM_MS],
    // Its words may come at its end.
    [3_400, null, 3_400 + SOUND_MS],
    [3_400, false, 3_400 + UNREPORTED_MS],
  ])('while a sound withholds an answer from %i ms on, interims: %s, ends at %i ms', (fromMs, interims, untilMs) => {
    const sounding = { speaking: true, startedUs: 500_000, activityStartedUs: fromMs * 1000 };
    const speech = speechOf({ finals: ['Yes.'], finalEndMs: 1_000 });
    const leftMs = delay({ ...sounding, speech }, fromMs, TRAITS, [], PAUSE_MS, interims, true);
    expect(fromMs + leftMs).toBe(untilMs);
  });

  it('while a sound withholds the answer counts from the end of the agent’s sound, if that is later', () => {
    const sounding = { speaking: true, startedUs: 500_000, activityStartedUs: 3_400_000 };
    const speech = speechOf({ finals: ['Yes.'], finalEndMs: 1_000 });
    const leftMs = delay({ ...sounding, speech }, 3_400, TRAITS, [], PAUSE_MS, true, true, 1_500_000);
    expect(3_400 + leftMs).toBe(1_500 + WITHHELD_MS);
  });

  it('after a sound without words leaves time for words to arrive', () => {
    expect(delay({}, 1_000)).toBe(700);
    expect(delay({ startedUs: 0, endedUs: 1_499_000 }, 1_499)).toBe(700);
  });

  it.each([
    [[], 700],
    [[180, 200, 190], 700],
    [[180, 900, 190], 1_200],
    [[180, 9_000, 190], 1_400],
  ])('after a short sound without words follows finals that are late in this call: %j: %i ms', (latencies, ms) => {
    expect(delay({ startedUs: 0, endedUs: 900_000 }, 900, TRAITS, latencies)).toBe(ms);
  });

  it.each([
    [[], null, 2_300],
    [[180, 190], false, 2_300],
    [[180, 200, 190], false, 700],
    [[180, 1_500, 190], null, 1_800],
    [[9_000, 9_000, 9_000], false, 3_300],
    [[], true, 700],
  ] as const)(
    'after long speech without words follows the latencies %j, interims: %s: %i ms',
    (latencies, interims, ms) => {
      expect(delay({ startedUs: 0, endedUs: 1_500_000 }, 1_500, TRAITS, latencies, PAUSE_MS, interims)).toBe(ms);
    },
  );

  it('after long speech without words is the provider’s own if it has a deadline', () => {
    const traits = { ...TRAITS, hasDeadline: true };
    expect(delay({ startedUs: 0, endedUs: 1_500_000 }, 1_500, traits)).toBe(700);
  });

  it('follows the measured latency of finals after three samples, at most the provider’s percentile', () => {
    const interim = { speech: speechOf({ interim: 'Yes.', interimEndMs: 900 }) };
    expect(delay(interim, 1_000, TRAITS, [180, 200])).toBe(500);
    expect(delay(interim, 1_000, TRAITS, [180, 200, 190])).toBe(300);
    expect(delay(interim, 1_000, TRAITS, [10, 20, 15])).toBe(250);
    expect(delay(interim, 1_000, TRAITS, [180, 2_000, 190])).toBe(500);
  });

  const anyUserTurn = fc
    .record({
      speaking: fc.boolean(),
      endOfTurn: fc.boolean(),
      startedUs: fc.option(fc.nat(1_000_000)),
      endedUs: fc.option(fc.nat(90_000_000)),
      activityStartedUs: fc.nat(90_000_000),
      gapUs: fc.nat(3_000_000),
      speech: fc
        .record({
          finals: fc.array(fc.constant('Yes'), { maxLength: 3 }),
          finalEndMs: fc.nat(1_000),
          interim: fc.constantFrom('', 'and then'),
          interimEndMs: fc.nat(1_000),
        })
        .map(speechOf),
    })
    .map(({ gapUs, ...turn }) => ({
      ...turn,
      // A turn is no younger than its words.
      startedUs: turn.startedUs && Math.min(turn.startedUs, (openWordsEndMs(turn.speech) ?? 1_000) * 1000),
      // A sound that goes on began after the end of the one before.
      activityStartedUs: turn.speaking ? (turn.endedUs ?? 0) + gapUs : turn.activityStartedUs,
      activityEndedUs: turn.endedUs,
    }));

  it.each([
    ['sends interims', true, ENDPOINT_BOUNDS.soundsMs],
    ['sends none, or is not known to', null, ENDPOINT_BOUNDS.mostMs],
    ['sends none', false, ENDPOINT_BOUNDS.mostMs],
  ])(
    'ends within a bound from the last word, whatever sounds follow, if the transcriber %s',
    (_, sendsInterims, boundMs) => {
      fc.assert(
        fc.property(
          anyUserTurn,
          fc.boolean(),
          fc.boolean(),
          fc.nat(1_700),
          (userTurn, detectsTurns, hadEnded, finalP99Ms) => {
            const wordsEndMs = openWordsEndMs(userTurn.speech);
            fc.pre(wordsEndMs !== null);
            const ms = delay(
              userTurn,
              1_000,
              { detectsTurns, finalP99Ms },
              [],
              PAUSE_BOUNDS_MS.most,
              sendsInterims,
              hadEnded,
            );
            expect(ms).toBeGreaterThanOrEqual(0);
            expect(1_000 + ms).toBeLessThanOrEqual(wordsEndMs + boundMs);
          },
        ),
      );
    },
  );

  it('ends a sound without words within a bound from its start', () => {
    fc.assert(
      fc.property(anyUserTurn, fc.boolean(), (userTurn, detectsTurns) => {
        const sound = { ...userTurn, speech: speechOf({}), endedUs: null, startedUs: 0, activityStartedUs: 0 };
        expect(delay(sound, 0, { detectsTurns, finalP99Ms: 400 })).toBeLessThanOrEqual(ENDPOINT_BOUNDS.mostMs);
      }),
    );
  });
});
