import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { speechLanguage } from '../../../adapters/text-normalisation/speech-languages.ts';
import { createSpeechText } from '../../../adapters/text-normalisation/speech-text.ts';
import { WordTimes } from '../../../adapters/text-normalisation/word-times.ts';
import { cpuMs } from '../../cpu-time.ts';

const LANGUAGES = ['de', 'en', 'es', 'fr', 'it', 'nl', 'pt'];

/** Arbitrary characters, and the fragments that models write. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '$5',
          '**',
          '_a_',
          '[x](y)',
          '1,250.5',
          '3.5',
          '7:30',
          'pm',
          '€',
          '2025-05-02',
          '3/4/2025',
          '50%',
        ),
        fc.constantFrom(
          'jane@example.com',
          'www.example.com/a',
          '🙂',
          '\n',
          '- ',
          '1st',
          'Dr.',
          'May 2',
          '2. Mai',
          '14h30',
        ),
        fc.constantFrom('+49 171 2345678', '#5', '-3', '°', '&', 'B12', ' ', '.', ',', 'hello', 'straße', '…', '0'),
        fc.nat().map(String),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(' ')),
  fc.stringMatching(/^[0-9$€.,:/ +-]{0,20}$/),
);
const anyPronunciations = fc.array(
  fc.record({ from: fc.string({ minLength: 1, maxLength: 6 }), to: fc.constantFrom('said', 'in other words') }),
  { maxLength: 4 },
);

describe('any text', () => {
  it('becomes speakable, without markup, pictures, control characters or digits', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...LANGUAGES), (text, language) => {
        const { spoken } = createSpeechText({ language, voiceNormalisesText: false, pronunciations: [] })(text);
        expect(spoken).not.toMatch(/[\p{Cc}\p{Cs}*`<>|~^{}[\]\\]|[0-9]| {2}/u);
        expect(spoken).not.toMatch(/\p{Extended_Pictographic}(?<![©®™])/u);
        expect(spoken).toBe(spoken.trim());
        expect(spoken === '' || /[\p{L}\p{N}]/u.test(spoken)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('maps every written word to a position in the spoken text, in order', () => {
    fc.assert(
      fc.property(
        anyText,
        fc.constantFrom(...LANGUAGES),
        anyPronunciations,
        fc.boolean(),
        (text, language, pronunciations, voiceNormalisesText) => {
          const { spoken, words } = createSpeechText({ language, voiceNormalisesText, pronunciations })(text);
          expect(words.map((word) => word.text)).toEqual(text.match(/\S+/g) ?? []);
          let start = 0;
          let end = 0;
          for (const word of words) {
            expect(word.spokenStart).toBeGreaterThanOrEqual(start);
            expect(word.spokenEnd).toBeGreaterThanOrEqual(end);
            expect(word.spokenEnd).toBeGreaterThanOrEqual(word.spokenStart);
            start = word.spokenStart;
            end = word.spokenEnd;
          }
          if (spoken !== '') expect(end).toBe(spoken.length);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('with complete word times emits each written word once, in order, with times that never decrease', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...LANGUAGES), fc.boolean(), (text, language, byCharacter) => {
        const speech = createSpeechText({ language, voiceNormalisesText: false, pronunciations: [] })(text);
        const times = new WordTimes(speech);
        const pieces = byCharacter ? [...speech.spoken] : speech.spoken.split(' ');
        const timed = pieces.map((piece, n) => ({ text: piece, startMs: n * 100, endMs: n * 100 + 90 }));
        const emitted = [...timed.flatMap((piece) => times.take([piece])), ...times.rest()];
        const audible = speech.words.filter((word) =>
          /[\p{L}\p{N}]/u.test(speech.spoken.slice(word.spokenStart, word.spokenEnd)),
        );
        expect(emitted.map((word) => word.text)).toEqual(audible.map((word) => word.text));
        let endMs = 0;
        for (const word of emitted) {
          expect(word.endMs).toBeGreaterThanOrEqual(word.startMs);
          expect(word.endMs).toBeGreaterThanOrEqual(endMs);
          endMs = word.endMs;
        }
      }),
      { numRuns: 500 },
    );
  });

  it('normalises the longest text of any repeated unit in less than 500 ms of CPU', () => {
    const make = createSpeechText({ language: 'en', voiceNormalisesText: false, pronunciations: [] });
    for (const unit of ['[', '[x](', '1,', '1 ', '- ', '_', 'a@', 'www.', '9:', '+1 ', '$', '1.']) {
      const text = unit.repeat(4_000 / unit.length);
      expect(
        cpuMs(() => make(text)),
        unit,
      ).toBeLessThan(500);
    }
  });
});

describe.each(LANGUAGES)('cardinals in %s', (tag) => {
  it('are words without digits, different for different numbers', () => {
    const language = speechLanguage(tag);
    const valueByWords = new Map<string, number>();
    for (let value = 0; value <= 10_000; value++) {
      const words = language?.cardinal(value) ?? '';
      expect(words).toMatch(/^[\p{L}][\p{L} '-]*$/u);
      expect(words).not.toMatch(/ {2}|undefined| $/u);
      expect(valueByWords.get(words), words).toBeUndefined();
      valueByWords.set(words, value);
    }
  });

  it('reach up to fifteen digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999_999_999 }), (value) => {
        expect(speechLanguage(tag)?.cardinal(value)).toMatch(/^[\p{L}][\p{L} '-]*$/u);
      }),
    );
  });
});
