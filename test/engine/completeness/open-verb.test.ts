import { describe, expect, it } from 'vitest';
import { completeness } from '../../../engine/completeness/completeness.ts';
import { pauseMsOf } from '../../../engine/completeness/end-of-turn-pause.ts';
import { NO_EXPECTATION } from '../../../engine/completeness/expectation.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';

const WHOLE_MS_MAX = 500;
const OPEN_MS_MIN = 1_000;

function pauseMs(language: string, text: string): number {
  return pauseMsOf(completeness(text, languagePack(language), NO_EXPECTATION));
}

describe('a sentence is open while its verb', () => {
  it.each([
    ['en', 'could somebody'],
    ['en', 'hi could the plumber'],
    ['en', 'has your colleague'],
    ['en', 'is my parcel'],
    ['de', 'hat jemand'],
    ['de', 'hallo könnte die Kollegin'],
    ['de', 'ist mein Paket'],
    ['nl', 'zou iemand'],
    ['nl', 'is de bestelling'],
    ['es', 'podría alguien'],
    ['it', 'potrebbe qualcuno'],
  ])('is missing after the subject of a question (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
    expect(pauseMs(language, `${text}.`)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
    expect(pauseMs(language, `${text}?`)).toBeLessThanOrEqual(WHOLE_MS_MAX);
  });

  it.each([
    ['en', 'is the shop open'],
    ['en', 'is that right'],
    ['en', 'will this work'],
    ['en', 'does anyone know'],
    ['de', 'ist das möglich'],
    ['de', 'kommt jemand vorbei'],
    ['nl', 'is het klaar'],
    ['it', 'è il tecnico'],
  ])('is not missing in a question with its predicate (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeLessThanOrEqual(WHOLE_MS_MAX);
  });

  it.each([
    ['de', 'kann ich das vielleicht'],
    ['de', 'könnten Sie mir die Quittung'],
    ['nl', 'kunt u mijn bestelling'],
  ])('needs its infinitive (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
    expect(pauseMs(language, `${text}.`)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['de', 'ich muss leider'],
    ['de', 'wir hatten letzte Woche schon einmal'],
    ['de', 'die Maschine macht seit Montag'],
    ['nl', 'ik moet helaas'],
    ['en', "I don't think"],
    ['en', "I've never actually"],
    ['fr', "je n'ai pas"],
    ['fr', 'ça a déjà'],
    ['it', 'non ho ancora'],
    ['es', 'no he todavía'],
  ])('is missing after an adverb or a negation (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['de', 'das geht leider'],
    ['de', 'das kann ich leider nicht'],
    ['de', 'das macht nichts'],
    ['nl', 'ik kan helaas niet'],
    ['en', "I don't think so"],
    ['fr', "je n'en ai pas"],
    ['fr', "j'ai rien"],
    ['fr', 'je ne peux pas'],
    ['fr', 'il y en a déjà'],
    ['it', "non ce l'ho ancora"],
    ['it', 'non ho niente'],
    ['es', 'todavía no'],
  ])('is not missing if the sentence has its object or another verb (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeLessThanOrEqual(WHOLE_MS_MAX);
  });

  it('needs the street after a house number, where the number comes first', () => {
    const asked = (text: string, question: string) =>
      pauseMsOf(completeness(text, languagePack('en'), { ...NO_EXPECTATION, question }));
    expect(pauseMs('en', 'I live at 24')).toBeGreaterThanOrEqual(OPEN_MS_MIN);
    expect(pauseMs('en', 'my address is 18')).toBeGreaterThanOrEqual(OPEN_MS_MIN);
    for (const text of ['24', "it's 24 Baker"]) {
      expect(asked(text, "What's your address?")).toBeGreaterThanOrEqual(OPEN_MS_MIN);
      expect(asked(text, "What's your house number?")).toBeLessThanOrEqual(WHOLE_MS_MAX);
    }
    for (const text of ['I lived there in 2019', 'I lived there for 20 years', 'my address is 24 Baker Street London'])
      expect(pauseMs('en', text)).toBeLessThanOrEqual(WHOLE_MS_MAX);
  });

  it.each([
    ['de', 'und dann hat mir Ihr Kollege'],
    ['nl', 'toen heeft mij een vrouw'],
  ])('needs its participle (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['de', 'seit heute macht mein Drucker'],
    ['nl', 'sinds dinsdag doet mijn telefoon'],
  ])('needs more than its subject (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['en', 'i wonder whether they'],
    ['de', 'ich weiß nicht ob sie'],
    ['nl', 'ik weet niet of jullie'],
  ])('is missing after a conjunction and a pronoun (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['en', 'i live at 7 Abbey'],
    ['es', 'vivo en la avenida'],
    ['fr', "j'habite au douze rue"],
    ['it', 'abito in via'],
    ['pt', 'moro na rua das oliveiras número'],
  ])('needs the rest of an address (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['en', 'can you also'],
    ['de', 'ich möchte auch'],
    ['nl', 'kan ik misschien'],
    ['es', 'me puede también'],
    ['fr', 'je voudrais aussi'],
    ['it', 'vorrei anche'],
    ['pt', 'gostaria também'],
  ])('is a modal with an adverb after it (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });
});

describe('a sentence is whole', () => {
  it.each([
    ['de', 'können wir das verschieben'],
    ['de', 'das hat mir sehr geholfen'],
    ['de', 'seit heute macht mein Drucker Geräusche'],
    ['nl', 'kan ik dat wijzigen'],
    ['nl', 'dat heeft mij geholpen'],
    ['de', 'ich auch'],
    ['fr', 'moi aussi'],
    ['en', 'i live in Leeds'],
    ['es', 'hay mucho ruido en la calle'],
  ])('with all parts that its verb needs (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeLessThanOrEqual(WHOLE_MS_MAX);
  });
});
