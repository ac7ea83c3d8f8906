import { z } from 'zod';
import { questionOriginSchema, questionTypeSchema } from '../../background/webhooks/event-values.ts';
import type { QuestionType } from '../../storage/post-call/post-call-question-repository.ts';
import { createdAt, givenId, idParams, queryFlag, readOnly, timestamp } from './primitives.ts';

const NAME_LENGTH_MAX = 200;
const DESCRIPTION_LENGTH_MAX = 5_000;
const EXAMPLES_MAX = 20;
const EXAMPLE_LENGTH_MAX = 1_000;
/** Twenty questions share one request to the model, and providers accept about 1,000 enum values per schema. */
const OPTIONS_MAX = 50;
const OPTION_LENGTH_MAX = 500;
export const OPTIONS_MIN = 2;
const QUESTIONS_PER_BATCH_MAX = 50;

const type = questionTypeSchema.describe(
  'Type of the answer. `selector`: one of `options`. `multi-selector`: any number of `options`.',
);

const option = z
  .strictObject({
    value: z.string().min(1).max(OPTION_LENGTH_MAX).describe('Text of the option, 1 to 500 characters.'),
    option_id: givenId.optional().describe('Identifier of an existing option to keep. Default: a new identifier.'),
    id: givenId.optional().describe('The same as `option_id`, as responses name it.'),
    created_at: readOnly,
  })
  .meta({ id: 'NewQuestionOption', description: 'An option of a question to set.' });

const fields = {
  name: z.string().min(1).max(NAME_LENGTH_MAX).describe('The question, 1 to 200 characters.'),
  description: z.string().max(DESCRIPTION_LENGTH_MAX).describe('Instructions for the model, at most 5,000 characters.'),
  type,
  optional: z
    .boolean()
    .describe(
      'true: the model may leave the question unanswered. false: it answers unless the call contains nothing about it.',
    ),
  model: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .describe(
      'Model that answers the question, from the provider of the agent, at most 200 characters. null: the model of the agent.',
    ),
  options: z
    .array(option)
    .max(OPTIONS_MAX)
    .describe(
      `Options of a \`selector\` or \`multi-selector\`, ${OPTIONS_MIN} to ${OPTIONS_MAX}. Must be empty for other types.`,
    ),
  examples: z
    .array(z.string().min(1).max(EXAMPLE_LENGTH_MAX))
    .max(EXAMPLES_MAX)
    .describe('Example answers for the model, at most 20, each 1 to 1,000 characters.'),
};

/** Types without `options`. */
const UNSELECTED: readonly QuestionType[] = ['text', 'boolean', 'number'];

const questionBody = z
  .strictObject({
    id: givenId.optional().describe('Identifier of the question. Default: a new identifier.'),
    name: fields.name,
    description: fields.description.default('').describe(fields.description.description ?? ''),
    type,
    optional: fields.optional.default(false).describe(fields.optional.description ?? ''),
    model: fields.model.default(null).describe(fields.model.description ?? ''),
    options: fields.options.default([]).describe(fields.options.description ?? ''),
    examples: fields.examples.default([]).describe(fields.examples.description ?? ''),
  })
  .meta({
    id: 'NewPostCallQuestion',
    description: 'A post-call question to add.',
    // The route's checks of `options`, as conditions, which client generators ignore.
    if: { properties: { type: { enum: UNSELECTED } } },
    else: { properties: { options: { minItems: OPTIONS_MIN } }, required: ['options'] },
    not: { properties: { type: { enum: UNSELECTED }, options: { minItems: 1 } }, required: ['options'] },
  });
export type QuestionBody = z.output<typeof questionBody>;

export const questionsBody = z
  .strictObject({
    questions: z.array(questionBody).min(1).max(QUESTIONS_PER_BATCH_MAX).describe('Questions to add, 1 to 50.'),
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
  .strictObject({
    ...fields,
    is_active: z.boolean().describe('false: deactivate the question. true: activate it again.'),
    id: readOnly,
    agent_id: readOnly,
    question_origin: readOnly,
    created_at: readOnly,
    updated_at: readOnly,
  })
  .partial()
  .meta({ examples: [{ name: 'Did the caller book, and for when?', type: 'text', is_active: true }] });
export type QuestionPatch = z.output<typeof questionPatch>;

export const questionParams = idParams('the agent').extend({
  question_id: givenId.describe('Identifier of the question.'),
});

export const questionDeleteQuery = z.strictObject({
  soft_delete: queryFlag(false, 'true: deactivate the question. false: delete it.'),
});

const questionOption = z
  .object({
    id: z.uuid().describe('Identifier of the option, used in answers.'),
    value: z.string().describe('Text of the option.'),
    created_at: createdAt,
  })
  .meta({ id: 'QuestionOption', description: 'An option of a question.' });

export const questionSchema = z
  .object({
    id: z.uuid().describe('Identifier of the question.'),
    agent_id: z.uuid().describe('Agent that the question belongs to.'),
    name: z.string().describe('The question.'),
    description: z.string().describe('Instructions for the model.'),
    type,
    is_active: z.boolean().describe('false: deactivated, no longer answered.'),
    question_origin: questionOriginSchema.describe('user: created through the API. system: created by the service.'),
    created_at: createdAt,
    updated_at: timestamp.describe('Time of the last change, ISO 8601.'),
    optional: fields.optional,
    model: z.string().describe('Model that answers the question: its own, or else the present model of the agent.'),
    options: z.array(questionOption).describe('Options of a `selector` or `multi-selector`. Empty for other types.'),
    examples: z.array(z.string()).describe('Example answers for the model.'),
  })
  .meta({
    id: 'PostCallQuestion',
    description: 'A post-call question.',
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
        model: 'gpt-4.1-mini',
        options: [],
        examples: [],
      },
    ],
  });
