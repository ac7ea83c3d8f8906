import { expect, test } from 'vitest';
import { z } from 'zod';
import { lookupOperation } from '../../../../src/api/document/lookup-operation.ts';
import { lookupAnswerBody } from '../../../../src/api/schemas/lookup-answer.ts';
import { lookupQuestionSchema } from '../../../../src/calls/lookup/lookup-question.ts';

const content = z.object({
  'application/json': z.object({ schema: z.looseObject({ examples: z.array(z.unknown()) }) }),
});
const operation = z.looseObject({
  requestBody: z.object({ content }),
  responses: z.looseObject({ '200': z.looseObject({ content }) }),
});

test('the examples of the lookup in the document are questions and answers of a lookup', () => {
  const { requestBody, responses } = operation.parse(lookupOperation().post);
  const questions = requestBody.content['application/json'].schema.examples;
  const answers = responses['200'].content['application/json'].schema.examples;
  expect(questions.map((one) => lookupQuestionSchema.parse(one))).toEqual(questions);
  expect(answers.map((one) => lookupAnswerBody.parse(one))).toEqual(answers);
  expect([questions.length, answers.length]).toEqual([1, 2]);
});
