import { describe, expect, it } from 'vitest';
import { detectionOf } from '../../../bench/redaction/detection.ts';
import { labelledUtterances } from '../../../fixtures/redaction/labelled-utterances.ts';

const UTTERANCES_MIN = 300;
const LANGUAGES = ['de', 'en', 'es', 'fr', 'it', 'nl', 'pt'];

describe('redaction of the labelled utterances', () => {
  const utterances = labelledUtterances();

  it('has 300 of them and more, in seven languages, half of them without an entity', () => {
    expect(utterances.length).toBeGreaterThanOrEqual(UTTERANCES_MIN);
    expect([...new Set(utterances.map(({ language }) => language))]).toEqual(LANGUAGES);
    expect(utterances.filter(({ spans }) => spans.length === 0).length).toBeGreaterThan(UTTERANCES_MIN / 2);
  });

  it('hides each entity whole, and nothing else', () => {
    const { faults, found, hidden, labelled, right } = detectionOf(utterances);
    expect(faults).toEqual([]);
    expect({ hidden, right }).toEqual({ hidden: labelled, right: found });
  });
});
