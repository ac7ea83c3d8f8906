import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { type LanguagePack, languagePack } from '../../../engine/languages/language-packs.ts';
import {
  ENDPOINT_BOUNDS,
  endpointDelayMs,
  type PauseKind,
  pauseAfter,
} from '../../../engine/turn-detection/endpoint-delay.ts';
import { propertyRuns } from '../properties/property-runs.ts';
import { speechOf } from '../simulation/speech.ts';

const ENGLISH = languagePack('en-GB');
const TRAITS = { detectsTurns: false, finalP99Ms: 400 };

function delay(
  userTurn: Partial<typeof SILENT_USER>,
  nowMs: number,
  traits = TRAITS,
  finalLatenciesMs: readonly number[] = [],
) {
  return endpointDelayMs({
    userTurn: { ...SILENT_USER, endedUs: 1_000_000, ...userTurn },
    traits,
    finalLatenciesMs,
    language: ENGLISH,
    entityDetection: false,
    nowUs: nowMs * 1000,
    audioEpochUs: 0,
  });
}

describe('the endpoint delay', () => {
  it.each([
    ['en', 'I would like a table.', 'finishedSentence'],
    ['en', 'I would like a table', 'plain'],
    ['en', 'I would like a table and', 'unfinished'],
    ['en', 'I would like um', 'unfinished'],
    ['en', 'On Monday,', 'unfinished'],
    ['en', 'It is 5 5 3', 'dictation'],
    ['en', 'five five three.', 'dictation'],
    ['en', 'A as in B C', 'dictation'],
    ['fr', 'Je voudrais une table pour', 'unfinished'],
    ['de', 'Ich hätte gern einen Tisch und', 'unfinished'],
    ['es', 'Quiero una mesa para', 'unfinished'],
    ['it', 'Vorrei un tavolo per', 'unfinished'],
    ['pt', 'Queria uma mesa para', 'unfinished'],
    ['nl', 'Ik wil een tafel voor', 'unfinished'],
    ['en', 'Four.', 'plain'],
    ['en', 'At seven thirty.', 'finishedSentence'],
    ['en', 'What is it for?', 'finishedSentence'],
    ['en', 'It is john@', 'dictation'],
    ['en', 'It is john@example.com', 'plain'],
    ['de', 'In der Hauptstraße', 'dictation'],
    ['xx', 'anything at all', 'plain'],
  ] as const)('in %s after «%s» is the delay for %s', (language, text, pause) => {
    expect(pauseAfter(text, languagePack(language), false)).toBe<PauseKind>(pause);
  });

  it('is the longest if entity detection is on', () => {
    expect(pauseAfter('Yes.', ENGLISH, true)).toBe('dictation');
    expect(pauseAfter('For four?', ENGLISH, true)).toBe('dictation');
  });

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

  it.each([
    ['«Is it?»', 'finishedSentence'],
    ['Is it? yes', 'plain'],
    ['...', 'unfinished'],
    ['It is ... fine', 'plain'],
    ['It is… fine', 'plain'],
    ['“I do.”', 'finishedSentence'],
    ['I do.x', 'plain'],
    [' Yes. ', 'finishedSentence'],
  ] as const)('depends on the last punctuation mark: %s', (text, pause) => {
    expect(pauseAfter(text, ENGLISH, false)).toBe<PauseKind>(pause);
  });

  it('includes the provider’s latency while a final is missing', () => {
    expect(delay({ speech: speechOf({ interim: 'Yes', interimEndMs: 900 }) }, 1_000)).toBe(500);
    expect(delay({ speech: speechOf({ interim: 'Yes and', interimEndMs: 900 }) }, 1_000)).toBe(1_200);
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

  it('after a sound without words leaves time for words to arrive', () => {
    expect(delay({}, 1_000)).toBe(700);
  });

  it('follows the measured latency of finals after three samples, at most the provider’s percentile', () => {
    const interim = { speech: speechOf({ interim: 'Yes.', interimEndMs: 900 }) };
    expect(delay(interim, 1_000, TRAITS, [180, 200])).toBe(500);
    expect(delay(interim, 1_000, TRAITS, [180, 200, 190])).toBe(300);
    expect(delay(interim, 1_000, TRAITS, [10, 20, 15])).toBe(250);
    expect(delay(interim, 1_000, TRAITS, [180, 2_000, 190])).toBe(500);
  });

  const anyWord = (language: LanguagePack) =>
    fc.oneof(
      fc.constantFrom(...language.continuationWords),
      fc.constantFrom(...language.dictation.digits, ...language.dictation.marks, ...language.dictation.alphabet),
      fc.constantFrom(...language.dictation.atSign, ...language.dictation.streets, ...language.dictation.letterLinks),
      fc.constantFrom('table', 'Ada', 'B', '7', '42', '0151', 'x@y', 'gmail', 'com', 'yes.', 'no?', 'fine,'),
    );
  const anyTurn = fc.constantFrom('en', 'fr', 'de', 'es', 'it', 'pt', 'nl').chain((tag) =>
    fc.record({
      tag: fc.constant(tag),
      text: fc.array(anyWord(languagePack(tag)), { minLength: 1, maxLength: 10 }).map((words) => words.join(' ')),
      goesOn: fc.constantFrom(...languagePack(tag).continuationWords),
      entityDetection: fc.boolean(),
      endOfTurn: fc.boolean(),
      isFinal: fc.boolean(),
      lags: fc.array(fc.nat(5_000), { maxLength: 8 }),
      finalP99Ms: fc.integer({ min: 100, max: 1_700 }),
    }),
  );

  it('stays within its bounds for any turn, and an unfinished word never shortens it', () => {
    fc.assert(
      fc.property(
        anyTurn,
        ({ tag, text, goesOn: unfinishedWord, entityDetection, endOfTurn, isFinal, lags: latenciesMs, finalP99Ms }) => {
          const delayAfter = (words: string) =>
            endpointDelayMs({
              userTurn: {
                ...SILENT_USER,
                endedUs: 1_000_000,
                endOfTurn,
                speech: speechOf(
                  isFinal ? { finals: [words], finalEndMs: 1_000 } : { interim: words, interimEndMs: 1_000 },
                ),
              },
              traits: { detectsTurns: false, finalP99Ms },
              finalLatenciesMs: latenciesMs,
              language: languagePack(tag),
              entityDetection,
              nowUs: 1_000_000,
              audioEpochUs: 0,
            });
          expect(delayAfter(text)).toBeGreaterThanOrEqual(ENDPOINT_BOUNDS.leastMs);
          expect(delayAfter(text)).toBeLessThanOrEqual(Math.max(ENDPOINT_BOUNDS.silentMs, finalP99Ms + 100));
          expect(delayAfter(`${text} ${unfinishedWord}`)).toBeGreaterThanOrEqual(delayAfter(text));
          expect(delayAfter(`${text} ${unfinishedWord} ${unfinishedWord}`)).toBeGreaterThanOrEqual(
            delayAfter(`${text} ${unfinishedWord}`),
          );
        },
      ),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it('is bounded for any state of the user turn', () => {
    const anyUserTurn = fc.record({
      speaking: fc.boolean(),
      endOfTurn: fc.boolean(),
      startedUs: fc.option(fc.nat(1_000_000)),
      endedUs: fc.option(fc.nat(1_000_000)),
      speech: fc
        .record({
          finals: fc.array(fc.string(), { maxLength: 3 }),
          finalEndMs: fc.nat(1_000),
          interim: fc.string(),
          interimEndMs: fc.nat(1_000),
        })
        .map(speechOf),
    });
    fc.assert(
      fc.property(anyUserTurn, fc.boolean(), fc.nat(1_700), (userTurn, detectsTurns, finalP99Ms) => {
        const ms = delay(userTurn, 1_000, { detectsTurns, finalP99Ms });
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeLessThanOrEqual(ENDPOINT_BOUNDS.mostMs);
      }),
    );
  });
});
