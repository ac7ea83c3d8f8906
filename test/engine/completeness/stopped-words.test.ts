import { describe, expect, it } from 'vitest';
import { isOpenDespiteStop } from '../../../engine/completeness/stopped-ending.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';

const openOf = (language: string, texts: readonly string[], isAsked = false) =>
  texts.filter((text) => isOpenDespiteStop(text.split(' '), isAsked, languagePack(language).clauses));

describe('a sentence with a full stop behind a word that leaves sentences open', () => {
  it.each([
    [
      'en',
      [
        'i forgot what i said the price is',
        'i need somebody to',
        'yes with',
        'he saw who',
        'they charged my card for',
        'not in the morning but in',
        'on monday but on',
        'to talk to',
        'i need to talk to',
        'i was thinking about',
        'somebody wants to',
        'do you know when',
        'tell me who',
        'he said because',
        'i think if',
        'somebody who',
        'i know whether',
        'two weeks ago i',
        'yesterday she',
        'so i',
        'well they',
        'maybe they',
        'the main problem is',
        'my neighbour has',
        'he really has',
        'well the price is',
        'my wife does',
      ],
    ],
    [
      'de',
      [
        'ich habe eine frage zu',
        'ich würde das gern auf',
        'mein mann hat',
        'wir haben und möchten',
        'können sie mir sagen wo',
        'vor drei wochen ich',
        'ich glaube dass',
        'und ich',
        'also ich',
      ],
    ],
    ['nl', ['ik heb een klacht over', 'mijn zoon wil', 'weet u misschien hoe', 'vorige week ik', 'dus ik']],
    ['es', ['el número de mi contrato es', 'no que me', 'dígame usted dónde', 'el paquete está']],
    ['fr', ['attendez je vous le', 'je le', 'je voudrais savoir si', 'le prix est']],
    ['it', ['tre giorni fa ho', 'mi dica dove', 'vorrei sapere se']],
    ['pt', ['o nome da minha mulher é', 'há três dias eu', 'queria saber se']],
  ])('goes on in %s if the word cannot end it: %j', (language, texts) => {
    expect(openOf(language, texts)).toEqual(texts);
  });

  it.each([
    [
      'en',
      [
        'tell me what the price is',
        'tell me what it is',
        'tell me what is',
        'tell me what my old price is',
        'yes well it is',
        'no i have',
        'he did not see who',
        'a i like',
        'in the on',
        'it is on',
        'he moved in',
        'turn it on',
        'someone to talk to',
        'the one i was thinking about',
        'the man she spoke about',
        "i don't know when",
        'since when',
        'from where',
        'the price since when',
        'who',
        'they told me that',
        'i do not know who',
        'older than',
        'with i',
        'it is',
        'she has',
        "i couldn't",
        "the radio isn't",
        'i do not have',
        'where it is',
        'what the price is',
        'what the old price of it is',
        'i know what is',
        'the price which is',
        'and is',
        'the one who is',
        'if that is',
        'is',
        'ok',
        'please',
        'the same',
        'not me',
        'give me them',
      ],
    ],
    [
      'de',
      [
        'sag mir was der preis ist',
        'sag mir was das ist',
        'ja das ist',
        'nicht wo',
        'eine frage zu',
        'ich rufe an',
        'ich würde mich auf',
        'dass mein mann hat',
        'mein mann der hat',
        'ich kann was er hat',
        'und möchten',
        'der möchten',
        'was ich habe',
        'ich weiß nicht warum',
        'seit wann',
        'das hat mir die',
      ],
    ],
    ['nl', ['zeg mij wat de prijs is', 'mij is beloofd dat']],
    [
      'es',
      ['no puedo', 'mi hijo no puede', 'yo', 'soy yo', 'no sé cuándo', 'el paquete que está', 'lo que es', 'que es'],
    ],
    ['fr', ["ce que c'est", 'moi']],
    ['it', ['non ho', 'quello che ho', 'io']],
    ['pt', ['não sei quando', 'o que é']],
  ])('is whole in %s if the word can end it: %j', (language, texts) => {
    expect(openOf(language, texts)).toEqual([]);
  });

  it.each([
    ['en', ['the main problem is', 'my neighbour has', 'he really has', 'well the price is', 'my wife does']],
    ['de', ['mein mann hat', 'wir haben und möchten']],
    ['nl', ['mijn zoon wil']],
    ['es', ['el número de mi contrato es', 'el paquete está']],
    ['fr', ['le prix est']],
    ['it', ['tre giorni fa ho']],
    ['pt', ['o nome da minha mulher é']],
  ])('is whole in %s as the short answer to a question: %j', (language, texts) => {
    expect(openOf(language, texts, true)).toEqual([]);
  });
});
