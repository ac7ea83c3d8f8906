import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { dropSources } from '../../knowledge/source-file.ts';
import type { KnowledgeBase } from '../../storage/knowledge/knowledge-base-repository.ts';
import type { Api, RouteContext } from '../api.ts';
import { notFound } from '../api-error.ts';
import { organizationOf } from '../authentication.ts';
import { envelopeOf, FAILURES, success } from '../envelope.ts';
import { knowledgeBaseAnswer } from '../knowledge-base-answer.ts';
import { knowledgeBaseBody, knowledgeBaseSchema } from '../schemas/knowledge-base.ts';
import { listAnswer, listFields, pageOf, pageQuery } from '../schemas/pagination.ts';
import { idParams } from '../schemas/primitives.ts';

const TAGS = ['Knowledge bases'];

export function knowledgeBaseRoutes(api: Api, context: RouteContext): void {
  createKnowledgeBase(api, context);
  listKnowledgeBases(api, context);
  getKnowledgeBase(api, context);
  deleteKnowledgeBase(api, context);
}

function createKnowledgeBase(api: Api, { authenticate, clock, publicUrl, repositories }: RouteContext): void {
  api.route({
    method: 'POST',
    url: '/v1/knowledge-bases',
    onRequest: authenticate('write'),
    config: { creates: true },
    schema: {
      operationId: 'createKnowledgeBase',
      summary: 'Create a knowledge base',
      description:
        'Without sources: they are added next. An agent, or one of its states, that names it in knowledge_base_ids gives its ' +
        'model a function that searches it.',
      tags: TAGS,
      body: knowledgeBaseBody,
      response: { 201: envelopeOf(knowledgeBaseSchema), ...FAILURES },
    },
    handler: async (request, reply) => {
      const base: KnowledgeBase = {
        id: randomUUID(),
        organizationId: organizationOf(request),
        name: request.body.name,
        createdMs: clock.wallMs(),
      };
      await repositories.knowledgeBases.create(base);
      const data = knowledgeBaseAnswer(base, [], publicUrl());
      return reply.code(201).send(success(201, 'Knowledge base created', data));
    },
  });
}

function listKnowledgeBases(api: Api, { authenticate, publicUrl, repositories }: RouteContext): void {
  const { knowledgeBases } = repositories;
  api.route({
    method: 'GET',
    url: '/v1/knowledge-bases',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'listKnowledgeBases',
      summary: 'List knowledge bases',
      description: 'Newest first, in pages; with use_cursor, by cursor.',
      tags: TAGS,
      querystring: pageQuery,
      response: { 200: envelopeOf(z.array(knowledgeBaseSchema)).extend(listFields), ...FAILURES },
    },
    handler: async (request) => {
      const page = pageOf(request.query);
      const found = await knowledgeBases.list(organizationOf(request), page);
      const sources = await knowledgeBases.sourcesOf(found.items.map(({ id }) => id));
      return listAnswer(found, page, (base) => knowledgeBaseAnswer(base, sources.get(base.id) ?? [], publicUrl()));
    },
  });
}

function getKnowledgeBase(api: Api, { authenticate, publicUrl, repositories }: RouteContext): void {
  const { knowledgeBases } = repositories;
  api.route({
    method: 'GET',
    url: '/v1/knowledge-bases/:id',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'getKnowledgeBase',
      summary: 'Get a knowledge base',
      description: 'With its sources and how far each has been read.',
      tags: TAGS,
      params: idParams,
      response: { 200: envelopeOf(knowledgeBaseSchema), ...FAILURES },
    },
    handler: async (request) => {
      const base = await knowledgeBases.find(organizationOf(request), request.params.id);
      if (base === null) throw notFound('Knowledge base');
      const sources = (await knowledgeBases.sourcesOf([base.id])).get(base.id) ?? [];
      return success(200, 'Knowledge base found', knowledgeBaseAnswer(base, sources, publicUrl()));
    },
  });
}

function deleteKnowledgeBase(api: Api, context: RouteContext): void {
  const { authenticate, dataDir, repositories } = context;
  const { knowledgeBases } = repositories;
  api.route({
    method: 'DELETE',
    url: '/v1/knowledge-bases/:id',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'deleteKnowledgeBase',
      summary: 'Delete a knowledge base',
      description: 'With its sources. Agents that name it find nothing in it any more.',
      tags: TAGS,
      params: idParams,
      response: { 200: envelopeOf(z.null()), ...FAILURES },
    },
    handler: async (request) => {
      const { id } = request.params;
      const organizationId = organizationOf(request);
      const sources = (await knowledgeBases.sourcesOf([id])).get(id) ?? [];
      if (!(await knowledgeBases.remove(organizationId, id))) throw notFound('Knowledge base');
      await dropSources(dataDir, sources);
      context.onSourcesChanged();
      return success(200, 'Knowledge base deleted', null);
    },
  });
}
