import { expect, it } from 'vitest';
import { z } from 'zod';
import { lookupOperation } from '../../../../src/api/document/lookup-operation.ts';
import { lookupAnswerBody } from '../../../../src/api/schemas/lookup-answer.ts';
import { lookupQuestionSchema } from '../../../../src/calls/lookup/lookup-question.ts';

const content = z.object({
  'application/json': z.looseObject({ examples: z.record(z.string(), z.object({ value: z.unknown() })) }),
});
const operation = z.looseObject({
  requestBody: z.looseObject({ content }),
  responses: z.looseObject({ '200': z.looseObject({ content }) }),
});

function valuesOf(shown: z.output<typeof content>): readonly unknown[] {
  return Object.values(shown['application/json'].examples).map(({ value }) => value);
}

it('the examples of the lookup in the document are questions and answers of a lookup', () => {
  const { requestBody, responses } = operation.parse(lookupOperation().post);
  const questions = valuesOf(requestBody.content);
  const answers = valuesOf(responses['200'].content);
  expect(questions.map((one) => lookupQuestionSchema.parse(one))).toEqual(questions);
  expect(answers.map((one) => lookupAnswerBody.parse(one))).toEqual(answers);
  expect([questions.length, answers.length]).toEqual([1, 2]);
});
