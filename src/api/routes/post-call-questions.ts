import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { DatabaseError } from '../../storage/link/database-error.ts';
import type { PostCallQuestion, QuestionOption } from '../../storage/post-call/post-call-question-repository.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { ApiError, type ErrorDetail, invalidField, notFound } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, failures, success } from '../errors/envelope.ts';
import { invalid } from '../errors/validation.ts';
import { organizationOf } from '../requests/authentication.ts';
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

const TAGS = ['Post-call questions'];
const ADDED = 'Post-call questions added';
const ALL_FOUND = 'Post-call questions found';
const FOUND = 'Post-call question found';
const UPDATED = 'Post-call question updated';
const DELETED = 'Post-call question deleted';
const ID_TAKEN = 'questions: an id is already in use';
const CHANGED = 'The question was changed by concurrent requests: retry';
const NOT_FOUND = failures({ 404: 'Post-call question not found' });
/** Questions of one agent, including inactive ones. Each is part of a request to the model after every call. */
const QUESTIONS_PER_AGENT_MAX = 200;
/** Attempts of a change that concurrent changes overtake. Each failed attempt means that another change succeeded. */
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
        'Adds 1 to 50 questions, all or none. After each connected call of the agent a model answers them from the transcript. The ' +
        'answers appear as `post_call_answers` of the call and in the webhook `event_post_call_answers_ready`. A question needs ' +
        '`name` and `type`; selectors need at least 2 `options`. An agent has at most 200 questions.',
      tags: TAGS,
      params: idParams('the agent'),
      body: questionsBody,
      response: {
        200: envelopeOf(z.array(questionSchema), ADDED),
        ...FAILURES,
        ...failures({ 404: 'Agent not found', 409: ID_TAKEN }),
      },
    },
    handler: async (request) => {
      const { agentId, defaultModel } = await agentOf(context, request, request.params.id);
      const bodies = request.body.questions;
      const questions = bodies.map((body) => newQuestion(agentId, body, clock.wallMs()));
      const faults = questions.flatMap((question, index) => optionFaults(question, `questions[${index}].`));
      if (faults.length > 0) throw invalid(faults);
      const existing = await repositories.postCallQuestions.list(agentId);
      if (existing.length + questions.length > QUESTIONS_PER_AGENT_MAX) {
        throw invalidField('questions', `expected at most ${QUESTIONS_PER_AGENT_MAX} questions per agent`);
      }
      try {
        await repositories.postCallQuestions.create(questions);
      } catch (error) {
        const taken = error instanceof DatabaseError && error.fault === 'constraint';
        throw taken ? new ApiError('conflict', { message: ID_TAKEN }) : error;
      }
      return success(
        200,
        ADDED,
        questions.map((question) => questionAnswer(question, defaultModel)),
      );
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
      summary: 'List post-call questions',
      description: 'Returns all questions of the agent in the order of their creation, including inactive ones.',
      tags: TAGS,
      params: idParams('the agent'),
      response: {
        200: envelopeOf(z.array(questionSchema), ALL_FOUND),
        ...FAILURES,
        ...failures({ 404: 'Agent not found' }),
      },
    },
    handler: async (request) => {
      const { agentId, defaultModel } = await agentOf(context, request, request.params.id);
      const questions = await repositories.postCallQuestions.list(agentId);
      return success(
        200,
        ALL_FOUND,
        questions.map((question) => questionAnswer(question, defaultModel)),
      );
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
      description: 'Returns one question of the agent.',
      tags: TAGS,
      params: questionParams,
      response: { 200: envelopeOf(questionSchema, FOUND), ...FAILURES, ...NOT_FOUND },
    },
    handler: async (request) => {
      const { defaultModel, question } = await questionOf(context, request, request.params);
      return success(200, FOUND, questionAnswer(question, defaultModel));
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
      summary: 'Update a post-call question',
      description:
        'Omitted fields keep their values; null clears `model`, and so the model of the agent answers. `options` replaces all options: an option with an `option_id` keeps ' +
        'its identifier. Existing answers are not changed.',
      tags: TAGS,
      params: questionParams,
      body: questionPatch,
      response: { 200: envelopeOf(questionSchema, UPDATED), ...FAILURES, ...NOT_FOUND, ...failures({ 409: CHANGED }) },
    },
    handler: async (request) => {
      const { defaultModel, question } = await changedQuestion(context, request, request.params, (before, model) => {
        const after = patched(before, request.body, model, clock.wallMs());
        const faults = optionFaults(after, '');
        if (faults.length > 0) throw invalid(faults);
        return after;
      });
      return success(200, UPDATED, questionAnswer(question, defaultModel));
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
        'Deletes the question, or deactivates it with `soft_delete`. It is no longer answered, not even for calls that are being ' +
        'processed. Existing answers stay on their calls.',
      tags: TAGS,
      params: questionParams,
      querystring: questionDeleteQuery,
      response: { 200: envelopeOf(z.null(), DELETED), ...FAILURES, ...NOT_FOUND, ...failures({ 409: CHANGED }) },
    },
    handler: async (request) => {
      const { params, query } = request;
      if (query.soft_delete) {
        const off = { isActive: false, updatedMs: clock.wallMs() };
        await changedQuestion(context, request, params, (before) => ({ ...before, ...off }));
      } else {
        const { question } = await questionOf(context, request, params);
        if (!(await repositories.postCallQuestions.remove(question.agentId, question.id)))
          throw notFound('Post-call question');
      }
      return success(200, DELETED, null);
    },
  });
}

interface AskedAgent {
  readonly agentId: string;
  /** The model for questions that name none. */
  readonly defaultModel: string;
}

async function agentOf({ repositories }: RouteContext, request: FastifyRequest, id: string): Promise<AskedAgent> {
  const agent = await repositories.agents.findInOrganization(organizationOf(request), id);
  const version = agent && (await repositories.agents.findVersion(agent.id, agent.activeVersion));
  if (agent === null || version === null) throw notFound('Agent');
  return { agentId: agent.id, defaultModel: version.configuration.llm.model };
}

interface FoundQuestion extends AskedAgent {
  readonly question: PostCallQuestion;
}

async function questionOf(
  context: RouteContext,
  request: FastifyRequest,
  params: z.output<typeof questionParams>,
): Promise<FoundQuestion> {
  const agent = await agentOf(context, request, params.id);
  const question = await context.repositories.postCallQuestions.find(agent.agentId, params.question_id);
  if (question === null) throw notFound('Post-call question');
  return { ...agent, question };
}

/** Retries on top of concurrent changes, so that simultaneous patches each keep their fields. */
async function changedQuestion(
  context: RouteContext,
  request: FastifyRequest,
  params: z.output<typeof questionParams>,
  change: (before: PostCallQuestion, defaultModel: string) => PostCallQuestion,
): Promise<FoundQuestion> {
  for (let tries = 0; tries < UPDATE_TRIES_MAX; tries += 1) {
    const found = await questionOf(context, request, params);
    const question = change(found.question, found.defaultModel);
    if (await context.repositories.postCallQuestions.replace(found.question, question)) return { ...found, question };
  }
  throw new ApiError('conflict', { message: CHANGED });
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

/** A `model` that repeats the default, as responses give it, does not fix it for a question without a model. */
function patched(
  before: PostCallQuestion,
  patch: QuestionPatch,
  defaultModel: string,
  nowMs: number,
): PostCallQuestion {
  const repeatsDefault = before.model === null && patch.model === defaultModel;
  return {
    ...before,
    ...(patch.name !== undefined && { name: patch.name }),
    ...(patch.description !== undefined && { description: patch.description }),
    ...(patch.type !== undefined && { type: patch.type }),
    ...(patch.optional !== undefined && { isOptional: patch.optional }),
    ...(patch.model !== undefined && !repeatsDefault && { model: patch.model }),
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
  return given.map(({ id = randomUUID(), option_id = id, value }) => {
    const kept = before.find((option) => option.id === option_id);
    return { id: option_id, value, createdMs: kept?.createdMs ?? nowMs };
  });
}

function optionFaults({ type, options }: PostCallQuestion, path: string): readonly ErrorDetail[] {
  const field = `${path}options`;
  const isSelector = type === 'selector' || type === 'multi-selector';
  if (!isSelector) return options.length === 0 ? [] : [{ field, message: `expected no options for the type ${type}` }];
  if (options.length < OPTIONS_MIN) return [{ field, message: `expected at least ${OPTIONS_MIN} options` }];
  const repeats =
    new Set(options.map(({ id }) => id)).size < options.length ||
    new Set(options.map(({ value }) => value)).size < options.length;
  return repeats ? [{ field, message: 'expected distinct identifiers and distinct values' }] : [];
}

function questionAnswer(question: PostCallQuestion, defaultModel: string): z.output<typeof questionSchema> {
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
    model: question.model ?? defaultModel,
    options: question.options.map(({ id, value, createdMs }) => ({
      id,
      value,
      created_at: new Date(createdMs).toISOString(),
    })),
    examples: [...question.examples],
  };
}
