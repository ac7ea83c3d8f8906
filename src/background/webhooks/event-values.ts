import { z } from 'zod';
import { ANSWER_TYPES } from '../../../engine/ports/answer-type.ts';
import { END_REASONS } from '../../../engine/ports/end-reason.ts';
import { WEBHOOK_EVENT_TYPES } from '../../storage/events/webhook-event.ts';
import { QUESTION_ORIGINS, QUESTION_TYPES } from '../../storage/post-call/post-call-question-repository.ts';
import { CALL_STATUSES } from '../../storage/schema/call-status.ts';

/** Values that webhook events and the resources of the API share. Each is one named schema of the OpenAPI document. */
export const eventTypeSchema = z
  .enum(WEBHOOK_EVENT_TYPES)
  .meta({ id: 'WebhookEventType', description: 'Kind of webhook event.' });

export const callStatusSchema = z.enum(CALL_STATUSES).meta({ id: 'CallStatus', description: 'Status of a call.' });

export const endReasonSchema = z
  .enum(END_REASONS)
  .meta({ id: 'EndReason', description: 'Reason for the end of a call.' });

export const answerTypeSchema = z
  .enum(ANSWER_TYPES)
  .meta({ id: 'AnswerType', description: 'Kind of party that answered.' });

export const questionTypeSchema = z
  .enum(QUESTION_TYPES)
  .meta({ id: 'QuestionType', description: 'Type of the answer to a post-call question.' });

export const questionOriginSchema = z
  .enum(QUESTION_ORIGINS)
  .meta({ id: 'QuestionOrigin', description: 'Who created a post-call question.' });

export const transferModeSchema = z
  .enum(['refer', 'bridge'])
  .meta({ id: 'TransferMode', description: 'refer: by SIP REFER. bridge: by a second call.' });

export const variableValueSchema = z
  .object({
    name: z.string().describe('Name of the variable.'),
    type: z.string().describe('Type of the variable, as declared on the agent.'),
    value: z.unknown().describe('Value of that type.'),
    timestamp: z.iso.datetime().describe('Time at which the value was set, ISO 8601 in UTC.'),
  })
  .meta({ id: 'VariableValue', description: 'A variable with its value.' });

const postCallQuestionSchema = z
  .object({
    id: z.uuid().describe('Identifier of the question.'),
    name: z.string().describe('The question.'),
    description: z.string().describe('Instructions for the model.'),
    question_type: questionTypeSchema.describe('Type of the answer.'),
    is_optional: z.boolean().describe('true: the model may leave the question unanswered.'),
    question_origin: questionOriginSchema.describe('user: created through the API. system: created by the service.'),
  })
  .meta({ id: 'AnsweredQuestion', description: 'A post-call question at the time of the answer.' });

const selectedOptionSchema = z
  .object({
    option: z
      .object({
        id: z.string().describe('Identifier of the option.'),
        value: z.string().describe('Text of the option.'),
      })
      .describe('Option of the question.'),
  })
  .meta({ id: 'SelectedOption', description: 'A selected option of a question.' });

/** Also part of the Call of the API. */
export const postCallAnswerSchema = z
  .object({
    id: z.uuid().describe('Identifier of the answer.'),
    question: postCallQuestionSchema.describe('The question at the time of the answer.'),
    has_answer: z
      .boolean()
      .describe('false: the call contains no answer of the right type. All value fields are then empty.'),
    answer_text: z.string().nullable().describe('Answer to a question of type `text`. null for other types.'),
    answer_number: z.number().nullable().describe('Answer to a question of type `number`. null for other types.'),
    answer_boolean: z.boolean().nullable().describe('Answer to a question of type `boolean`. null for other types.'),
    selected_options: z
      .array(selectedOptionSchema)
      .describe('Selected options of a `selector` or `multi-selector`. Empty for other types.'),
  })
  .meta({ id: 'PostCallAnswer', description: 'The answer to a post-call question.' });
