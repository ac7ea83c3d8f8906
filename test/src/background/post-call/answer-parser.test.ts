import { describe, expect, it } from 'vitest';
import { parseAnswers } from '../../../../src/background/post-call/answer-parser.ts';
import { OPTIONS, question } from '../../storage/post-call-question.ts';

const [RED, BLUE] = OPTIONS;
const NOTHING = {
  has_answer: false,
  answer_text: null,
  answer_number: null,
  answer_boolean: null,
  selected_options: [],
};

const answerTo = (type: Parameters<typeof question>[0], value: unknown) =>
  parseAnswers([question(type)], JSON.stringify({ q1: value }))[0];

describe('a model response', () => {
  it.each([
    ['text', ' at noon ', { answer_text: 'at noon' }],
    ['number', 4.5, { answer_number: 4.5 }],
    ['number', ' 42 ', { answer_number: 42 }],
    ['number', 0, { answer_number: 0 }],
    ['boolean', false, { answer_boolean: false }],
    ['boolean', 'yes', { answer_boolean: true }],
    ['selector', RED.id, { selected_options: [{ option: { id: RED.id, value: 'red' } }] }],
    [
      'multi-selector',
      [BLUE.id, RED.id, BLUE.id],
      {
        selected_options: [{ option: { id: RED.id, value: 'red' } }, { option: { id: BLUE.id, value: 'blue' } }],
      },
    ],
    ['multi-selector', [], { selected_options: [] }],
  ] as const)('is an answer of type %s: %j', (type, value, expected) => {
    expect(answerTo(type, value)).toMatchObject({ ...NOTHING, has_answer: true, ...expected });
  });

  it.each([
    ['text', null],
    ['text', '   '],
    ['text', 7],
    ['number', 'seven'],
    ['number', null],
    ['number', true],
    ['number', [1]],
    ['boolean', 'perhaps'],
    ['boolean', null],
    ['selector', 'red'],
    ['selector', null],
    ['selector', [RED.id]],
    ['selector', '__proto__'],
    ['multi-selector', RED.id],
    ['multi-selector', [RED.id, 'green']],
    ['multi-selector', null],
  ] as const)('is no answer of type %s: %j', (type, value) => {
    expect(answerTo(type, value)).toMatchObject(NOTHING);
  });

  it.each([
    ['nothing', null],
    ['not JSON', 'I cannot say.'],
    ['truncated JSON', '{"q1": "at no'],
    ['a list', '["at noon"]'],
    ['null', 'null'],
    ['JSON with other names', '{"Q1": "at noon", "q2": "later"}'],
  ])('leaves every question without an answer if it is %s', (_case, text) => {
    const answers = parseAnswers([question('text'), question('number')].slice(0, 1), text);
    expect(answers).toMatchObject([{ ...NOTHING, question: { name: 'A question of type text' } }]);
  });

  it('keeps the other answers if one is invalid', () => {
    const answers = parseAnswers([question('text'), question('number')], '{"q1":"at noon","q2":{}}');
    expect(answers).toMatchObject([{ has_answer: true, answer_text: 'at noon' }, NOTHING]);
  });
});
