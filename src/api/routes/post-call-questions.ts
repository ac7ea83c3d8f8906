import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { DatabaseError } from '../../storage/link/database-error.ts';
import type { PostCallQuestion, QuestionOption } from '../../storage/post-call/post-call-question-repository.ts';
import type { Api, RouteContext } from '../api.ts';
import { ApiError, type ErrorDetail, invalidField, notFound } from '../api-error.ts';
import { organizationOf } from '../authentication.ts';
import { envelopeOf, FAILURES, failureSchema, success } from '../envelope.ts';
import {
  OPTIONS_MIN,
  type QuestionBody,
  type QuestionPatch,
  questionDeleteQuery,
  questionParams,
  questionPatch,
  questionSchema,
  questionsBody,
} from '../schemas/post-call-question.ts';
import { idParams } from '../schemas/primitives.ts';
import { invalid } from '../validation.ts';

const TAGS = ['Post-call questions'];
/** Of one agent, with those that are not active: each is a part of a request to the model after every call. */
const QUESTIONS_PER_AGENT_MAX = 200;
/** How often a change is tried anew where another came between; each try means that somebody else got through. */
const UPDATE_TRIES_MAX = 50;

export function postCallQuestionRoutes(api: Api, context: RouteContext): void {
  createQuestions(api, context);
  listQuestions(api, context);
  getQuestion(api, context);
  updateQuestion(api, context);
  deleteQuestion(api, context);
}

function createQuestions(api: Api, context: RouteContext): void {
  const { authenticate, clock, repositories } = context;
  api.route({
    method: 'POST',
    url: '/v1/agents/:id/post-call-questions',
    onRequest: authenticate('write'),
    config: { creates: true },
    schema: {
      operationId: 'createQuestions',
      summary: 'Add post-call questions',
      description:
        'A model answers them after each call of the agent that was connected, from its transcript; the answers stand on the ' +
        'call as post_call_answers, and event_post_call_answers_ready tells of them. Each needs a name and a type; selectors ' +
        'need two options or more. All are added, or none.',
      tags: TAGS,
      params: idParams,
      body: questionsBody,
      response: { 200: envelopeOf(z.array(questionSchema)), ...FAILURES, 409: failureSchema },
    },
    handler: async (request) => {
      const agentId = await agentIdOf(context, request, request.params.id);
      const bodies = request.body.questions;
      const questions = bodies.map((body) => newQuestion(agentId, body, clock.wallMs()));
      const faults = questions.flatMap((question, index) => optionFaults(question, `questions[${index}].`));
      if (faults.length > 0) throw invalid(faults);
      const existing = await repositories.postCallQuestions.list(agentId);
      if (existing.length + questions.length > QUESTIONS_PER_AGENT_MAX) {
        throw invalidField('questions', `expected at most ${QUESTIONS_PER_AGENT_MAX} questions on one agent`);
      }
      try {
        await repositories.postCallQuestions.create(questions);
      } catch (error) {
        const taken = error instanceof DatabaseError && error.fault === 'constraint';
        throw taken ? new ApiError('conflict', { message: 'questions: an id is taken already' }) : error;
      }
      return success(200, 'Post-call questions added', questions.map(questionAnswer));
    },
  });
}

function listQuestions(api: Api, context: RouteContext): void {
  const { authenticate, repositories } = context;
  api.route({
    method: 'GET',
    url: '/v1/agents/:id/post-call-questions',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'listQuestions',
      summary: "List an agent's post-call questions",
      description: 'All of them, in the order in which they were added, also those that are not active.',
      tags: TAGS,
      params: idParams,
      response: { 200: envelopeOf(z.array(questionSchema)), ...FAILURES },
    },
    handler: async (request) => {
      const agentId = await agentIdOf(context, request, request.params.id);
      const questions = await repositories.postCallQuestions.list(agentId);
      return success(200, 'Post-call questions found', questions.map(questionAnswer));
    },
  });
}

function getQuestion(api: Api, context: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/agents/:id/post-call-questions/:question_id',
    onRequest: context.authenticate('read'),
    schema: {
      operationId: 'getQuestion',
      summary: 'Get a post-call question',
      tags: TAGS,
      params: questionParams,
      response: { 200: envelopeOf(questionSchema), ...FAILURES },
    },
    handler: async (request) => {
      const question = await questionOf(context, request, request.params);
      return success(200, 'Post-call question found', questionAnswer(question));
    },
  });
}

function updateQuestion(api: Api, context: RouteContext): void {
  const { authenticate, clock } = context;
  api.route({
    method: 'PATCH',
    url: '/v1/agents/:id/post-call-questions/:question_id',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'updateQuestion',
      summary: 'Change a post-call question',
      description:
        'Fields that are left out stay; null clears model. options replaces them all: one with its option_id keeps its id. ' +
        'Answers already given stay as they are.',
      tags: TAGS,
      params: questionParams,
      body: questionPatch,
      response: { 200: envelopeOf(questionSchema), ...FAILURES, 409: failureSchema },
    },
    handler: async (request) => {
      const question = await changedQuestion(context, request, request.params, (before) => {
        const after = patched(before, request.body, clock.wallMs());
        const faults = optionFaults(after, '');
        if (faults.length > 0) throw invalid(faults);
        return after;
      });
      return success(200, 'Post-call question changed', questionAnswer(question));
    },
  });
}

function deleteQuestion(api: Api, context: RouteContext): void {
  const { authenticate, clock, repositories } = context;
  api.route({
    method: 'DELETE',
    url: '/v1/agents/:id/post-call-questions/:question_id',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'deleteQuestion',
      summary: 'Delete a post-call question',
      description:
        'It is no longer answered, also for calls whose answers are being made. With soft_delete it is kept, not active. Answers ' +
        'already given stay on their calls.',
      tags: TAGS,
      params: questionParams,
      querystring: questionDeleteQuery,
      response: { 200: envelopeOf(z.null()), ...FAILURES, 409: failureSchema },
    },
    handler: async (request) => {
      const { params, query } = request;
      if (query.soft_delete) {
        const off = { isActive: false, updatedMs: clock.wallMs() };
        await changedQuestion(context, request, params, (before) => ({ ...before, ...off }));
      } else {
        const { agentId, id } = await questionOf(context, request, params);
        if (!(await repositories.postCallQuestions.remove(agentId, id))) throw notFound('Post-call question');
      }
      return success(200, 'Post-call question deleted', null);
    },
  });
}

async function agentIdOf({ repositories }: RouteContext, request: FastifyRequest, id: string): Promise<string> {
  const agent = await repositories.agents.findInOrganization(organizationOf(request), id);
  if (agent === null) throw notFound('Agent');
  return agent.id;
}

async function questionOf(
  context: RouteContext,
  request: FastifyRequest,
  params: z.output<typeof questionParams>,
): Promise<PostCallQuestion> {
  const agentId = await agentIdOf(context, request, params.id);
  const question = await context.repositories.postCallQuestions.find(agentId, params.question_id);
  if (question === null) throw notFound('Post-call question');
  return question;
}

/** Built anew on what others change meanwhile: of patches at once each keeps its fields. */
async function changedQuestion(
  context: RouteContext,
  request: FastifyRequest,
  params: z.output<typeof questionParams>,
  change: (before: PostCallQuestion) => PostCallQuestion,
): Promise<PostCallQuestion> {
  for (let tries = 0; tries < UPDATE_TRIES_MAX; tries += 1) {
    const before = await questionOf(context, request, params);
    const question = change(before);
    if (await context.repositories.postCallQuestions.replace(before, question)) return question;
  }
  throw new ApiError('conflict', { message: 'The question is being changed by others at the same time' });
}

function newQuestion(agentId: string, body: QuestionBody, nowMs: number): PostCallQuestion {
  return {
    id: body.id ?? randomUUID(),
    agentId,
    name: body.name,
    description: body.description,
    type: body.type,
    origin: 'user',
    isActive: true,
    isOptional: body.optional,
    model: body.model,
    options: optionsOf(body.options, [], nowMs),
    examples: body.examples,
    createdMs: nowMs,
    updatedMs: nowMs,
  };
}

function patched(before: PostCallQuestion, patch: QuestionPatch, nowMs: number): PostCallQuestion {
  return {
    ...before,
    ...(patch.name !== undefined && { name: patch.name }),
    ...(patch.description !== undefined && { description: patch.description }),
    ...(patch.type !== undefined && { type: patch.type }),
    ...(patch.optional !== undefined && { isOptional: patch.optional }),
    ...(patch.model !== undefined && { model: patch.model }),
    ...(patch.options !== undefined && { options: optionsOf(patch.options, before.options, nowMs) }),
    ...(patch.examples !== undefined && { examples: patch.examples }),
    ...(patch.is_active !== undefined && { isActive: patch.is_active }),
    updatedMs: nowMs,
  };
}

function optionsOf(
  given: QuestionBody['options'],
  before: readonly QuestionOption[],
  nowMs: number,
): readonly QuestionOption[] {
  return given.map(({ option_id, value }) => {
    const kept = before.find(({ id }) => id === option_id);
    return { id: option_id ?? randomUUID(), value, createdMs: kept?.createdMs ?? nowMs };
  });
}

function optionFaults({ type, options }: PostCallQuestion, path: string): readonly ErrorDetail[] {
  const field = `${path}options`;
  const isSelector = type === 'selector' || type === 'multi-selector';
  if (!isSelector) return options.length === 0 ? [] : [{ field, message: `a question of type ${type} has no options` }];
  if (options.length < OPTIONS_MIN) return [{ field, message: `expected ${OPTIONS_MIN} options or more` }];
  const repeats =
    new Set(options.map(({ id }) => id)).size < options.length ||
    new Set(options.map(({ value }) => value)).size < options.length;
  return repeats ? [{ field, message: 'expected each id and each value once' }] : [];
}

function questionAnswer(question: PostCallQuestion): z.output<typeof questionSchema> {
  return {
    id: question.id,
    agent_id: question.agentId,
    name: question.name,
    description: question.description,
    type: question.type,
    is_active: question.isActive,
    question_origin: question.origin,
    created_at: new Date(question.createdMs).toISOString(),
    updated_at: new Date(question.updatedMs).toISOString(),
    optional: question.isOptional,
    model: question.model,
    options: question.options.map(({ id, value, createdMs }) => ({
      id,
      value,
      created_at: new Date(createdMs).toISOString(),
    })),
    examples: [...question.examples],
  };
}
