import { describe, expect, it } from 'vitest';
import { completeness } from '../../../engine/completeness/completeness.ts';
import { pauseMsOf } from '../../../engine/completeness/end-of-turn-pause.ts';
import { NO_EXPECTATION } from '../../../engine/completeness/expectation.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';

const WHOLE_MS_MAX = 500;
const OPEN_MS_MIN = 1_000;

type Ending = 'open' | 'whole';
type Example = readonly [language: string, text: string, ending: Ending];

function endingOf(language: string, text: string, question: string): Ending | number {
  const ms = pauseMsOf(completeness(text, languagePack(language), { ...NO_EXPECTATION, question }));
  if (ms >= OPEN_MS_MIN) return 'open';
  return ms <= WHOLE_MS_MAX ? 'whole' : ms;
}

function expectEach(examples: readonly Example[], question = ''): void {
  const actual = examples.map(([language, text]) => [language, text, endingOf(language, text, question)]);
  expect(actual).toEqual(examples);
}

describe('a clause', () => {
  it('is open without its main clause, after other words and despite a full stop', () => {
    expectEach([
      ['en', 'well um if I come on Monday', 'open'],
      ['en', 'well, if I come on Monday', 'open'],
      ['en', 'Hello. If I come on Monday', 'open'],
      ['en', 'If I come on Monday morning.', 'open'],
      ['en', '"If I come on Monday morning."', 'open'],
      ['en', 'if my wife comes', 'open'],
      ['en', 'if I come on Monday and I can park', 'open'],
      ['de', 'wenn der Monteur kommt', 'open'],
      ['nl', 'als de monteur komt', 'open'],
    ]);
  });

  it('is whole with its main clause', () => {
    expectEach([
      ['en', 'if I come on Monday, we stay', 'whole'],
      ['en', 'if I come on Monday can I park', 'whole'],
      ['en', 'if it rains, we stay, as always', 'whole'],
    ]);
  });

  it('is whole as a question, as an answer, and in a few marked words', () => {
    expectEach([
      ['en', 'If I come on Monday morning?', 'whole'],
      ['en', 'When I get home.', 'whole'],
      ['en', 'so when can I come', 'whole'],
      ['de', 'wann kommt der Monteur', 'whole'],
      ['nl', 'wanneer komt de monteur', 'whole'],
    ]);
    expectEach([['en', 'If I come on Monday morning.', 'whole']], 'When do you come?');
  });

  it('is whole in the words that stand alone', () => {
    expectEach([
      ['en', 'if possible', 'whole'],
      ['en', 'when you like', 'whole'],
      ['de', 'wenn es geht', 'whole'],
      ['en', 'if he comes home', 'open'],
    ]);
  });
});

describe('the verb of a sentence', () => {
  it('needs its infinitive after a modal and its subject', () => {
    expectEach([
      ['de', 'bitte kann ich das Auto', 'open'],
      ['de', 'kann der Monteur am Montag', 'open'],
      ['de', 'kann der Monteur am Montag kommen', 'whole'],
      ['de', 'kann ich das auch tun', 'whole'],
      ['de', 'kann Anna am Montag', 'whole'],
      ['nl', 'kunt u mijn bestelling bezorgen', 'whole'],
      ['de', 'können Sie mir die Quittung?', 'whole'],
    ]);
  });

  it('needs its participle, unless a closing word ends the sentence', () => {
    expectEach([
      ['de', 'und dann hat mir Ihr Kollege', 'open'],
      ['de', 'und dann hat mir Ihr Kollege bitte', 'whole'],
    ]);
  });

  it('needs more than a definite subject after an adverbial, unless it is «is»', () => {
    expectEach([
      ['de', 'heute macht mein Drucker', 'open'],
      ['de', 'seit Montag ist mein Internet', 'whole'],
      ['de', 'seit Montag macht ein Internet', 'whole'],
      ['de', 'mein Internet macht', 'whole'],
    ]);
  });

  it('needs its object, unless the object comes before it or is asked for', () => {
    expectEach([
      ['en', 'I need', 'open'],
      ['en', 'I need it and I want', 'open'],
      ['en', 'what do you need', 'whole'],
      ['en', 'I do not know what you need', 'whole'],
      ['es', 'quiero', 'open'],
      ['es', 'no lo quiero', 'whole'],
      ['fr', 'la voiture que je veux', 'whole'],
      ['fr', 'je crois que je veux', 'open'],
      ['fr', "qu'est-ce que tu veux", 'whole'],
    ]);
  });

  it('of a report needs the reported words, unless they come first', () => {
    expectEach([
      ['en', 'they told me', 'open'],
      ['en', 'what they told me', 'whole'],
      ['en', 'that is all that they told me', 'whole'],
    ]);
  });
});

describe('an address', () => {
  it('needs its street after the house number of a residence, and its name after the street', () => {
    expectEach([
      ['en', 'i live at 7 Abbey', 'open'],
      ['en', 'i have 7 Abbey', 'whole'],
      ['en', 'i live in a very nice little old house near the town of 7 Abbey', 'whole'],
      ['en', 'i live in Abbey road', 'whole'],
      ['es', 'vivo en la calle', 'open'],
      ['es', '12 calle', 'open'],
    ]);
  });
});

describe('a question', () => {
  it('that was cut off is open despite its mark', () => {
    expectEach([
      ['en', 'Can you?', 'open'],
      ['en', 'Will it?', 'open'],
      ['en', 'Do you have a?', 'open'],
      ['en', 'What can you?', 'whole'],
      ['en', 'Do that can you?', 'whole'],
      ['en', 'Do it, can you?', 'whole'],
    ]);
  });

  it('is whole with its question word in its place, with its copula or its subject', () => {
    expectEach([
      ['en', 'what', 'whole'],
      ['en', 'for what', 'whole'],
      ['en', 'that what', 'open'],
      ['en', 'who is this', 'whole'],
      ['de', 'wer ist da', 'whole'],
      ['nl', 'met wie spreek ik', 'whole'],
      ['de', 'wie viel kostet das', 'whole'],
      ['de', 'wie viel', 'open'],
    ]);
  });

  it('of an auxiliary and a pronoun is open, with an adverb after them too', () => {
    expectEach([
      ['en', 'you said can you', 'open'],
      ['en', 'can you also', 'open'],
      ['en', 'if maybe', 'open'],
      ['it', 'la chiamo io', 'whole'],
      ['it', 'e io', 'open'],
    ]);
  });
});

describe('noun phrases', () => {
  it('are the subject of an open sentence if they are definite', () => {
    expectEach([
      ['en', 'my dog and I', 'open'],
      ['en', 'yesterday my dog and I', 'open'],
      ['en', 'my dog and his cat', 'open'],
      ['en', 'my dog and a cat', 'whole'],
      ['en', 'a dog and a cat', 'whole'],
      ['en', 'the delivery driver', 'open'],
      ['en', 'the last two letters', 'open'],
      ['en', 'the last two weeks', 'whole'],
      ['en', 'next week the engineer', 'open'],
    ]);
  });

  it('that say when, or that are a name, are whole', () => {
    expectEach([
      ['en', 'the last week', 'whole'],
      ['en', 'last week', 'whole'],
      ['de', 'der Herr Schmidt', 'whole'],
      ['en', 'Mrs Smith', 'whole'],
    ]);
  });

  it('with a relative clause are open, unless it is all that is wanted', () => {
    expectEach([
      ['en', 'the lady to whom I spoke', 'open'],
      ['en', 'the one that I wanted yesterday', 'open'],
      ['en', 'the one that I want', 'whole'],
      ['en', 'the man who', 'open'],
    ]);
  });
});
