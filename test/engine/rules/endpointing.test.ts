import { describe, expect, it } from 'vitest';
import { SILENT_CALLER } from '../../../engine/call/call-context.ts';
import { endpointDelayMs, pauseAfter } from '../../../engine/rules/endpointing.ts';
import { spokenLanguage } from '../../../engine/rules/spoken-language.ts';

const ENGLISH = spokenLanguage('en-GB');
const TRAITS = { nativeTurns: false, finalP99Ms: 400 };

function delay(caller: Partial<typeof SILENT_CALLER>, nowMs: number, traits = TRAITS) {
  return endpointDelayMs({
    caller: { ...SILENT_CALLER, endedUs: 1_000_000, ...caller },
    traits,
    language: ENGLISH,
    entityDetection: false,
    nowUs: nowMs * 1000,
  });
}

describe('the pause that ends a turn', () => {
  it.each([
    ['en', 'I would like a table.', 200],
    ['en', 'I would like a table', 500],
    ['en', 'I would like a table and', 1_200],
    ['en', 'I would like um', 1_200],
    ['en', 'On Monday,', 1_200],
    ['en', 'It is 5 5 3', 1_800],
    ['en', 'five five three.', 1_800],
    ['en', 'A as in B C', 1_800],
    ['fr', 'Je voudrais une table pour', 1_200],
    ['de', 'Ich hätte gern einen Tisch und', 1_200],
    ['es', 'Quiero una mesa para', 1_200],
    ['xx', 'anything at all', 500],
  ])('in %s after «%s» is %i ms', (language, text, pauseMs) => {
    expect(pauseAfter(text, spokenLanguage(language), false)).toBe(pauseMs);
  });

  it('is the longest where entities are detected', () => {
    expect(pauseAfter('Yes.', ENGLISH, true)).toBe(1_800);
  });

  it('counts from the end of the speech, not from the final', () => {
    expect(delay({ finals: ['Yes.'], endOfTurn: true }, 1_150)).toBe(50);
    expect(delay({ finals: ['Yes.'], endOfTurn: true }, 1_200)).toBe(0);
    expect(delay({ finals: ['Yes.'], endOfTurn: true }, 9_000)).toBe(0);
  });

  it('waits for a final no longer than the provider takes', () => {
    expect(delay({ interim: { text: 'Yes', endMs: 900 } }, 1_000)).toBe(500);
    expect(delay({ interim: { text: 'Yes and', endMs: 900 } }, 1_000)).toBe(1_200);
  });

  it('is only a bound while they speak', () => {
    expect(delay({ speaking: true, startedUs: 1_000_000, endedUs: null }, 3_000)).toBe(8_000);
    expect(delay({ speaking: true, interim: { text: 'Yes', endMs: 900 } }, 1_000)).toBe(5_000);
    expect(delay({ speaking: true, finals: ['Yes.'] }, 1_000)).toBe(2_500);
    expect(delay({ speaking: true, finals: ['Yes.'], endOfTurn: true }, 1_000)).toBe(200);
  });

  it('is the transcriber’s where it detects turns, but for the bound', () => {
    expect(delay({ native: 'Yes.' }, 1_000, { nativeTurns: true, finalP99Ms: 400 })).toBe(2_500);
  });

  it('of a sound without words is that in which words could come', () => {
    expect(delay({}, 1_000)).toBe(700);
  });
});
