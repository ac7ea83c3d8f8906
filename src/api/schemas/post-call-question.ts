import { z } from 'zod';
import { QUESTION_ORIGINS, QUESTION_TYPES } from '../../storage/post-call/post-call-question-repository.ts';
import { givenId, idParams, queryFlag, timestamp } from './primitives.ts';

const NAME_LENGTH_MAX = 200;
const DESCRIPTION_LENGTH_MAX = 5_000;
const EXAMPLES_MAX = 20;
const EXAMPLE_LENGTH_MAX = 1_000;
/** Twenty questions share a request, and providers take some 1,000 values of enumerations in a schema. */
const OPTIONS_MAX = 50;
const OPTION_LENGTH_MAX = 500;
export const OPTIONS_MIN = 2;
const QUESTIONS_PER_BATCH_MAX = 50;

const type = z
  .enum(QUESTION_TYPES)
  .describe('What an answer is; the two selectors are answered by the ids of their options.');

const option = z.strictObject({
  value: z.string().min(1).max(OPTION_LENGTH_MAX).describe('What may be answered, 1 to 500 characters.'),
  option_id: givenId.optional().describe('Of an option that is kept; a new one gets an id where it is left out.'),
});

const fields = {
  name: z.string().min(1).max(NAME_LENGTH_MAX).describe('The question itself, 1 to 200 characters.'),
  description: z
    .string()
    .max(DESCRIPTION_LENGTH_MAX)
    .describe('Told to the model beside the name, at most 5,000 characters.'),
  type,
  optional: z.boolean().describe('True: a call may well hold no answer.'),
  model: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .describe("A model of the agent's own provider, at most 200 characters; null: the agent's own."),
  options: z
    .array(option)
    .max(OPTIONS_MAX)
    .describe(`Of the two selectors, which need ${OPTIONS_MIN} to ${OPTIONS_MAX}; empty for the others.`),
  examples: z
    .array(z.string().min(1).max(EXAMPLE_LENGTH_MAX))
    .max(EXAMPLES_MAX)
    .describe('Of answers, at most 20 of 1 to 1,000 characters.'),
};

const questionBody = z.strictObject({
  id: givenId.optional().describe('Its id; made where it is left out.'),
  name: fields.name,
  description: fields.description.default('').describe(fields.description.description ?? ''),
  type,
  optional: fields.optional.default(false).describe(fields.optional.description ?? ''),
  model: fields.model.default(null).describe(fields.model.description ?? ''),
  options: fields.options.default([]).describe(fields.options.description ?? ''),
  examples: fields.examples.default([]).describe(fields.examples.description ?? ''),
});
export type QuestionBody = z.output<typeof questionBody>;

export const questionsBody = z
  .strictObject({
    questions: z.array(questionBody).min(1).max(QUESTIONS_PER_BATCH_MAX).describe('1 to 50 of them.'),
  })
  .meta({
    examples: [
      {
        questions: [
          { name: 'Did the caller book an appointment?', type: 'boolean' },
          {
            name: 'How did the caller feel?',
            type: 'selector',
            optional: true,
            options: [{ value: 'pleased' }, { value: 'neutral' }, { value: 'annoyed' }],
          },
        ],
      },
    ],
  });

export const questionPatch = z
  .strictObject({ ...fields, is_active: z.boolean().describe('True takes a soft delete back.') })
  .partial()
  .meta({ examples: [{ name: 'Did the caller book, and for when?', type: 'text', is_active: true }] });
export type QuestionPatch = z.output<typeof questionPatch>;

export const questionParams = idParams.extend({ question_id: givenId.describe('Of the question.') });

export const questionDeleteQuery = z.strictObject({
  soft_delete: queryFlag(false, 'true: the question is kept, no longer active.'),
});

export const questionSchema = z
  .object({
    id: z.uuid().describe('Its id.'),
    agent_id: z.uuid().describe('Whose calls it is asked of.'),
    name: z.string().describe('The question itself.'),
    description: z.string().describe('Told to the model beside the name.'),
    type,
    is_active: z.boolean().describe('False after a soft delete: no longer answered.'),
    question_origin: z.enum(QUESTION_ORIGINS).describe('user: made over the API; system: by the service.'),
    created_at: timestamp,
    updated_at: timestamp,
    optional: z.boolean().describe('True: a call may well hold no answer.'),
    model: fields.model,
    options: z
      .array(
        z.object({
          id: z.uuid().describe('What an answer names.'),
          value: z.string().describe('What may be answered.'),
          created_at: timestamp,
        }),
      )
      .describe('Of the two selectors; empty for the others.'),
    examples: z.array(z.string()).describe('Of answers.'),
  })
  .meta({
    id: 'PostCallQuestion',
    examples: [
      {
        id: '6512bd43-d9ca-46e0-8c99-0b0a82652dca',
        agent_id: '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11',
        name: 'Did the caller book an appointment?',
        description: '',
        type: 'boolean',
        is_active: true,
        question_origin: 'user',
        created_at: '2026-03-02T09:00:00.000Z',
        updated_at: '2026-03-02T09:00:00.000Z',
        optional: false,
        model: null,
        options: [],
        examples: [],
      },
    ],
  });
