import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LANGUAGE_TAGS } from '../../../engine/languages/language-packs.ts';
import { redactedText } from '../../../engine/redaction/dictated-pieces.ts';
import { findEntities } from '../../../engine/redaction/find-entities.ts';
import { REDACTION_ENTITIES, type RedactionEntity } from '../../../engine/redaction/redaction-entity.ts';
import { labelledUtterances } from '../../../fixtures/redaction/labelled-utterances.ts';

function redacted(text: string, language = 'en', entities: readonly RedactionEntity[] = REDACTION_ENTITIES): string {
  return redactedText(text, findEntities(text, { language, entities }));
}

describe('findEntities', () => {
  it('reads «double», «oh», tens and hundreds of dictated digits', () => {
    expect(redacted('four double one one, double one double one, double one double one, double one double one')).toBe(
      '[card]',
    );
    expect(redacted('it is oh twenty, seventy nine forty six, oh nine five eight')).toBe('it is [phone]');
    expect(
      redacted('mi número es el seiscientos doce, trescientos cuarenta y cinco, seiscientos setenta y ocho', 'es'),
    ).toBe('mi número es el [phone]');
  });

  it('joins the parts of a number over lines, commas and hesitations', () => {
    expect(redacted('4111 1111\n1111 1111')).toBe('[card]');
    expect(redacted('4111 1111, uh, and 1111 1111.')).toBe('[card].');
  });

  it('finds entities of the language that the user speaks, whatever the agent speaks', () => {
    expect(
      redacted(
        'ich möchte Ihnen sagen, meine Nummer ist die null eins sieben eins zwei drei vier fünf sechs sieben acht',
      ),
    ).toBe('ich möchte Ihnen sagen, meine Nummer ist die [phone]');
  });

  it('finds nothing that is not asked for', () => {
    expect(redacted('4111 1111 1111 1111 or john@example.com', 'en', ['email'])).toBe('4111 1111 1111 1111 or [email]');
  });

  it('takes the question of the other party as the name of a number', () => {
    const search = { language: 'nl', entities: REDACTION_ENTITIES };
    expect(findEntities('dat is 111222333', search)).toEqual([]);
    expect(findEntities('dat is 111222333', { ...search, questionAt: () => 'Wat is uw BSN?' })).toEqual([
      { entity: 'national_id', from: 7, to: 16, characters: '111222333' },
    ]);
  });

  it('returns the digits and letters of an entity, in whatever language they are dictated', () => {
    const said =
      'ich möchte Ihnen sagen, meine Nummer ist die null eins sieben eins zwei drei vier fünf sechs sieben acht';
    expect(findEntities(said, { language: 'en', entities: ['phone'] })).toMatchObject([{ characters: '01712345678' }]);
    const address = 'it is x12345@example.com';
    expect(findEntities(address, { language: 'en', entities: ['email'] })).toMatchObject([{ characters: 'X12345' }]);
  });

  it('finds the same cards and IBANs of a labelled text, whatever the agent speaks', () => {
    for (const { language, text } of labelledUtterances()) {
      const expected = redacted(text, language, ['card', 'iban']);
      for (const spoken of LANGUAGE_TAGS) {
        // For a Portuguese agent «um» is a digit, which interrupts the card.
        const found = redacted(text, spoken, ['card', 'iban']).replace('[card], um, [card]', '[card]');
        expect(found, spoken).toBe(expected);
      }
    }
  });

  it('keeps numbers with a wrong check digit', () => {
    for (const text of ['4111 1111 1111 1112', 'DE89 3704 0044 0532 0130 01', '12345678 A', '529.982.247-24'])
      expect(redacted(text, 'es', ['card', 'iban', 'national_id'])).toBe(text);
  });

  it('returns ordered spans inside the text that do not overlap, for any text', () => {
    const word = fc.constantFrom(
      '4111',
      '1111',
      'four',
      'one',
      'double',
      'at',
      'dot',
      'com',
      '@',
      '.',
      ',',
      '\n',
      '+44',
      'hundred',
      'DE89',
      'A',
      '€',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(word, { maxLength: 40 }).map((words) => words.join(' ')),
    );
    fc.assert(
      fc.property(text, (any) => {
        const spans = findEntities(any, { language: 'en', entities: REDACTION_ENTITIES });
        let end = 0;
        for (const { from, to } of spans) {
          expect(from).toBeGreaterThanOrEqual(end);
          expect(to).toBeGreaterThan(from);
          end = to;
        }
        expect(end).toBeLessThanOrEqual(any.length);
      }),
    );
  });
});
