import { describe, expect, it } from 'vitest';
import { completeness } from '../../../engine/completeness/completeness.ts';
import { pauseMsOf } from '../../../engine/completeness/end-of-turn-pause.ts';
import { NO_EXPECTATION } from '../../../engine/completeness/expectation.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';

const WHOLE_MS = 200;
const OPEN_MS_MIN = 1_000;

function pauseMs(language: string, text: string, question = ''): number {
  const expectation = { ...NO_EXPECTATION, question, punctuates: true };
  return pauseMsOf(completeness(text, languagePack(language), expectation));
}

describe('a full stop does not end a sentence', () => {
  it.each([
    ['en', 'They charged my card for.'],
    ['en', 'Not in the morning but in.'],
    ['de', 'Ich hätte eine Beschwerde zu.'],
    ['de', 'Ich könnte das Paket auf.'],
    ['nl', 'Ik heb een klacht over.'],
  ])('that ends in a preposition (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['en', 'I need the name of somebody who.'],
    ['en', 'It was the second time that.'],
    ['en', 'I have been informed that.'],
    ['nl', 'Mij is beloofd dat.'],
    ['fr', 'Je voudrais savoir si.'],
    ['it', 'Vorrei sapere se.'],
    ['pt', 'Queria saber se.'],
  ])('that ends in a conjunction or relative pronoun (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['en', 'Could you tell me exactly where.'],
    ['de', 'Können Sie mir sagen, wo.'],
    ['nl', 'Weet u misschien hoe.'],
    ['es', 'Dígame usted dónde.'],
    ['it', 'Mi dica dove.'],
  ])('that ends in a question word (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['en', 'The main problem was.'],
    ['en', 'My neighbour has.'],
    ['de', 'Meine Schwester hat.'],
    ['de', 'Wir kommen zu zweit und möchten.'],
    ['nl', 'Mijn zoon wil.'],
    ['es', 'El número de mi contrato es.'],
    ['it', 'Tre giorni fa ho.'],
    ['pt', 'O nome da minha mulher é.'],
  ])('that ends in an auxiliary or form of «be» after its subject (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['en', 'The parcel was late, so I.'],
    ['de', 'Vor drei Wochen ich.'],
    ['nl', 'Vorige week ik.'],
    ['pt', 'Há três dias eu.'],
    ['es', 'No, que me.'],
    ['fr', 'Attendez, je vous le.'],
  ])('that ends in its subject or in the object of a missing verb (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });
});

describe('a full stop ends a sentence at once', () => {
  it.each([
    ['en', "I don't know where."],
    ['en', 'You never said why.'],
    ['es', 'No sé cuándo.'],
    ['it', 'Non so quando.'],
    ['pt', 'Não sei quando.'],
    ['de', 'Ich weiß nicht, warum.'],
  ])('with a question word after a negation (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBe(WHOLE_MS);
  });

  it.each([
    ['en', 'That is exactly what I was afraid of.'],
    ['en', "That's not what we paid for."],
    ['en', 'This is the one I was thinking about.'],
    ['en', 'The radio is still on.'],
    ['en', 'He moved in.'],
    ['de', 'Die Leitung bricht ab.'],
    ['de', 'Der Fernseher ist aus.'],
  ])('with a preposition that has its object or is a particle (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBe(WHOLE_MS);
  });

  it.each([
    ['en', "No, I couldn't.", ''],
    ['en', 'I would love to.', 'Would you like to come in?'],
    ['en', 'My wife does.', 'Does anyone else use it?'],
    ['en', 'I think it is.', 'Is it switched on?'],
    ['de', 'Das muss ich.', ''],
    ['de', 'Ja, würde ich.', 'Würden Sie teilnehmen?'],
    ['es', 'Sí, me gustaría.', '¿Quiere participar?'],
    ['es', 'El paquete no está.', ''],
    ['it', 'Non credo.', ''],
    ['it', 'Sì, vorrei.', 'Vuole partecipare?'],
    ['pt', 'Não quero.', ''],
    ['nl', 'Dat wil ik.', ''],
  ])('in a short answer (%s: %s)', (language, text, question) => {
    expect(pauseMs(language, text, question)).toBe(WHOLE_MS);
  });

  it.each([
    ['en', 'i want to track my order'],
    ['fr', 'je veux suivre ma commande'],
    ['nl', 'de derde graag'],
  ])('and a noun that looks like a verb needs no object (%s: %s)', (language, text) => {
    expect(pauseMsOf(completeness(text, languagePack(language), NO_EXPECTATION))).toBeLessThanOrEqual(500);
  });
});
