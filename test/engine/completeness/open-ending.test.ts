import { describe, expect, it } from 'vitest';
import { openEnding } from '../../../engine/completeness/open-ending.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';

type Example = readonly [language: string, text: string, ending: ReturnType<typeof openEnding>];

function expectEach(examples: readonly Example[], question = ''): void {
  expect(examples.map(([tag, text]) => [tag, text, openEnding(text, languagePack(tag), question)])).toEqual(examples);
}

describe('the last words of a sentence', () => {
  it('are open with a conditional and its subject, not in a question for its object', () => {
    expectEach([
      ['it', 'preferirei', 'open_ending'],
      ['it', 'quanto preferirei', null],
      ['it', 'il preferirei', null],
      ['it', 'allora preferirei', 'open_ending'],
      ['it', 'quanto io preferirei', null],
      ['fr', 'combien vous diriez', null],
      ['fr', 'vous trait', null],
      ['fr', 'vous me diriez', 'open_ending'],
      ['fr', 'ça me dirait', null],
      ['fr', 'mon portrait', null],
      ['fr', 'rait', null],
    ]);
  });

  it('are open with «that» behind a participle or a noun', () => {
    expectEach([
      ['en', 'the first time that', 'open_ending'],
      ['en', 'it is the time that', 'open_ending'],
      ['en', 'i was told that', 'open_ending'],
      ['en', 'my that', null],
      ['en', 'time that', null],
    ]);
  });

  it('are whole if the object comes before its verb', () => {
    expectEach([
      ['fr', 'la voiture rouge que je veux', null],
      ['fr', 'je crois que tu veux', 'open_ending'],
      ['en', 'what do you need', null],
      ['en', 'of what do you mean', null],
      ['en', 'how do you need', 'object_wanted'],
    ]);
  });

  it('are whole with the subject at the end, which is no conjunction', () => {
    expectEach([
      ['it', 'pago io', null],
      ['it', 'come io', 'open_word'],
      ['it', 'o io', 'open_word'],
      ['it', 'quando io', 'open_word'],
      ['it', 'io', 'open_word'],
    ]);
  });

  it('are whole as a question with its form of «be»', () => {
    expectEach([
      ['pt', 'onde você é', null],
      ['pt', 'você é', 'open_ending'],
      ['en', 'who is this', null],
      ['en', 'who is this man to', 'open_word'],
      ['en', 'who is', 'open_word'],
      ['en', 'where is she', null],
      ['en', 'is she', 'open_ending'],
      ['en', 'why do you', 'open_ending'],
    ]);
  });

  it('are whole with the verb of a question or a clause at the end', () => {
    expectEach([
      ['de', 'wer kann', null],
      ['de', 'wenn er das kann', null],
      ['de', 'er kann', 'open_ending'],
      ['de', 'ich weiß was ich möchte', 'open_ending'],
    ]);
  });

  it('are a short question with the question word behind its preposition', () => {
    expectEach([
      ['en', 'for what', null],
      ['en', 'all the very old people in what', 'open_word'],
    ]);
  });

  it('are whole in a report behind its words', () => {
    expectEach([
      ['en', 'told me', 'open_ending'],
      ['en', 'the man who told me', null],
      ['fr', "qu'il m'a dit", null],
      ['fr', "jusqu'à hier on m'a dit", 'open_ending'],
    ]);
  });

  it('may repeat the verb of the agent’s question', () => {
    expectEach([['en', 'my wife does.', 'marked_open_ending']]);
    expectEach([['en', 'my wife does.', null]], 'Does anyone?');
  });
});
