import { describe, expect, it } from 'vitest';
import { completeness } from '../../../engine/completeness/completeness.ts';
import { pauseMsOf } from '../../../engine/completeness/end-of-turn-pause.ts';
import { NO_EXPECTATION } from '../../../engine/completeness/expectation.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';

const WHOLE_MS_MAX = 500;
const OPEN_MS_MIN = 1_000;

function pauseMs(language: string, text: string, question = ''): number {
  return pauseMsOf(completeness(text, languagePack(language), { ...NO_EXPECTATION, question }));
}

describe('a question that ends in its preposition', () => {
  it.each([
    ['en', 'where are you from'],
    ['en', 'Where are you from?'],
    ['en', 'who am I speaking to'],
    ['en', 'who is it for'],
    ['en', 'what is this about'],
    ['nl', 'waar komt u vandaan'],
    ['nl', 'waar is dat voor'],
    ['de', 'wo kommen Sie her'],
    ['de', 'wie sieht es aus'],
  ])('is whole (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeLessThanOrEqual(WHOLE_MS_MAX);
  });

  it.each([
    ['en', 'what time is the train to'],
    ['en', 'how much is a ticket to'],
    ['en', 'I need someone to look at'],
    ['nl', 'wat is de prijs van'],
    ['es', 'quién es la persona de'],
    ['fr', 'quel est le numéro de'],
  ])('needs its object after a noun or without a question word (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['en', 'what do you need'],
    ['pt', 'de onde você é'],
  ])('and one that asks for the object of its verb, or ends in «is», are whole (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeLessThanOrEqual(WHOLE_MS_MAX);
  });
});

describe('a sentence without a mark is open', () => {
  it.each([
    ['en', 'my problem is that the router'],
    ['de', 'er sagt dass sein Auto'],
    ['de', 'ich glaube dass der Vertrag'],
    ['nl', 'omdat mijn dochter'],
    ['es', 'me parece que mi hijo'],
    ['fr', 'parce que ma fille'],
    ['it', 'perché mia figlia'],
    ['pt', 'porque a minha filha'],
  ])('in a clause with a subject only (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['en', 'I bought a very old'],
    ['de', 'das ist ein sehr altes'],
    ['nl', 'het is een erg mooie'],
    ['es', 'es una casa muy'],
    ['it', 'è una casa molto'],
  ])('after the adverb or adjective of a noun (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['en', 'the woman who called me yesterday'],
    ['en', 'the letter you wrote to my son'],
    ['en', 'my brother and I'],
    ['de', 'die Dame die gestern hier war'],
    ['es', 'el chico que vino ayer'],
  ])('in a subject without its verb (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
    expect(pauseMs(language, text, 'How may I help you?')).toBeGreaterThanOrEqual(
      language === 'en' ? OPEN_MS_MIN : WHOLE_MS_MAX,
    );
  });
});

describe('a definite noun phrase without a verb is open', () => {
  it.each([
    ['en', 'the invoice from last week'],
    ['en', 'yesterday my neighbour'],
    ['de', 'die Mahnung vom letzten Dienstag'],
    ['nl', 'sinds gisteren mijn telefoon'],
    ['es', 'el seguro de mi coche'],
    ['fr', "l'abonnement de mon fils"],
    ['it', 'la ricevuta del mese scorso'],
    ['pt', 'o contrato da minha mãe'],
  ])('(%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
    expect(pauseMs(language, `${text}.`)).toBeGreaterThan(WHOLE_MS_MAX);
    expect(pauseMs(language, text, 'Which one?')).toBeLessThanOrEqual(WHOLE_MS_MAX);
  });

  it.each([
    ['en', 'My sister and I.'],
    ['de', 'Mein Vater und ich.'],
    ['nl', 'Mijn zus en ik.'],
    ['es', 'Mi hermana y yo.'],
    ['fr', 'Ma sœur et moi.'],
    ['it', 'Io e mia sorella.'],
    ['pt', 'Eu e a minha irmã.'],
    ['en', 'The letter that came on Monday.'],
    ['de', 'Der Brief, der am Montag kam.'],
    ['es', 'La señora con la que hablé.'],
    ['fr', 'Le monsieur avec qui j’ai parlé.'],
    ['it', 'Il signore con cui ho parlato.'],
    ['es', 'Mi vecina me ha dicho.'],
    ['it', 'È un prodotto molto.'],
  ])('despite a full stop, with the speaker, a relative clause or a report (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });
});

describe('no phrase is open', () => {
  it.each([
    ['en', 'a room for two nights'],
    ['en', 'the heating is off'],
    ['en', 'i know that'],
    ['en', 'that is what they told me'],
    ['de', 'das hängt vom Wetter ab'],
    ['de', 'der Monteur war schon da'],
    ['nl', 'met wie spreek ik'],
    ['nl', 'wanneer komt de loodgieter'],
    ['es', 'creo que el lunes'],
    ['es', 'no lo quiero'],
    ['es', 'nada más'],
    ['fr', 'la voiture que je veux'],
    ['fr', 'ça sert à quoi'],
    ['it', 'mi piace molto'],
    ['it', 'a che cosa serve'],
    ['it', 'non funziona più'],
    ['pt', 'a semana que vem'],
    ['pt', 'foi o que me disseram'],
    ['en', 'I like this very much'],
    ['en', 'the book that I ordered is broken'],
    ['en', 'he is a very nice man'],
    ['de', 'ich hoffe dass das klappt'],
    ['de', 'die Heizung die ist kaputt'],
    ['nl', 'dat het lukt'],
    ['pt', 'gosto muito'],
    ['es', 'el coche que compré está roto'],
  ])('in a whole sentence (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeLessThanOrEqual(WHOLE_MS_MAX);
  });

  it('in the answer to a question for it', () => {
    expect(pauseMs('en', 'the woman who called me yesterday', 'Who was it?')).toBeLessThanOrEqual(WHOLE_MS_MAX);
    expect(pauseMs('en', 'The woman who called me yesterday.', 'Who was it?')).toBeLessThanOrEqual(WHOLE_MS_MAX);
  });
});
