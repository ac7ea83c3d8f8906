import { expect, it } from 'vitest';
import { fr } from '../../console/src/i18n/fr.ts';

/** All texts of a catalogue; those with values get one of a single letter. */
function textsOf(part: unknown): readonly string[] {
  if (typeof part === 'string') return [part];
  if (typeof part === 'function') return [String(part('x', 'x', 'x'))];
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(textsOf) : [];
}

it('French texts have curly apostrophes, and a space before each colon', () => {
  const texts = textsOf(fr);
  expect(texts.length).toBeGreaterThan(500);
  expect(texts.filter((text) => /\p{L}'\p{L}/u.test(text))).toEqual([]);
  expect(texts.filter((text) => /\S:(\s|$)/.test(text))).toEqual([]);
});
