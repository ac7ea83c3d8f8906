import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { deleteSources } from '../../background/knowledge/knowledge-file.ts';
import type { KnowledgeBase } from '../../storage/knowledge/knowledge-base-repository.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { notFound } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, failures, success } from '../errors/envelope.ts';
import { knowledgeBaseFromRecord } from '../knowledge/knowledge-base-from-record.ts';
import { organizationOf } from '../requests/authentication.ts';
import {
  knowledgeBaseBody,
  knowledgeBaseSchema,
  knowledgeSearchQuery,
  passageSchema,
} from '../schemas/knowledge-base.ts';
import { LIST_MESSAGE, listFields, listResponse, pageOf, pageQuery } from '../schemas/pagination.ts';
import { idParams } from '../schemas/primitives.ts';

const TAGS = ['Knowledge bases'];
const CREATED = 'Knowledge base created';
const FOUND = 'Knowledge base found';
const DELETED = 'Knowledge base deleted';
const SEARCHED = 'Search completed';
const NOT_FOUND = failures({ 404: 'Knowledge base not found' });

export function knowledgeBaseRoutes(api: Api, context: RouteContext): void {
  createKnowledgeBase(api, context);
  listKnowledgeBases(api, context);
  getKnowledgeBase(api, context);
  deleteKnowledgeBase(api, context);
  searchKnowledgeBase(api, context);
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
        'Creates an empty knowledge base. Add documents with `POST /v1/knowledge-bases/{id}/sources`, then name the knowledge base in ' +
        '`knowledge_base_ids` of an agent or a state: the model can then search it during calls.',
      tags: TAGS,
      body: knowledgeBaseBody,
      response: { 201: envelopeOf(knowledgeBaseSchema, CREATED), ...FAILURES },
    },
    handler: async (request, reply) => {
      const base: KnowledgeBase = {
        id: randomUUID(),
        organizationId: organizationOf(request),
        name: request.body.name,
        createdMs: clock.wallMs(),
      };
      await repositories.knowledgeBases.create(base);
      const data = knowledgeBaseFromRecord(base, [], publicUrl());
      return reply.code(201).send(success(201, CREATED, data));
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
      description: 'Returns the knowledge bases of your organization with their sources, newest first.',
      tags: TAGS,
      querystring: pageQuery,
      response: { 200: envelopeOf(z.array(knowledgeBaseSchema), LIST_MESSAGE).extend(listFields), ...FAILURES },
    },
    handler: async (request) => {
      const page = pageOf(request.query);
      const found = await knowledgeBases.list(organizationOf(request), page);
      const sources = await knowledgeBases.sourcesOf(found.items.map(({ id }) => id));
      return listResponse(found, page, (base) =>
        knowledgeBaseFromRecord(base, sources.get(base.id) ?? [], publicUrl()),
      );
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
      description: 'Returns the knowledge base with its sources and their status.',
      tags: TAGS,
      params: idParams('the knowledge base'),
      response: { 200: envelopeOf(knowledgeBaseSchema, FOUND), ...FAILURES, ...NOT_FOUND },
    },
    handler: async (request) => {
      const base = await knowledgeBases.find(organizationOf(request), request.params.id);
      if (base === null) throw notFound('Knowledge base');
      const sources = (await knowledgeBases.sourcesOf([base.id])).get(base.id) ?? [];
      return success(200, FOUND, knowledgeBaseFromRecord(base, sources, publicUrl()));
    },
  });
}

function deleteKnowledgeBase(api: Api, context: RouteContext): void {
  const { authenticate, repositories } = context;
  const { knowledgeBases } = repositories;
  api.route({
    method: 'DELETE',
    url: '/v1/knowledge-bases/:id',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'deleteKnowledgeBase',
      summary: 'Delete a knowledge base',
      description:
        'Permanently deletes the knowledge base and its sources. Agents that refer to it keep working and find nothing in it.',
      tags: TAGS,
      params: idParams('the knowledge base'),
      response: { 200: envelopeOf(z.null(), DELETED), ...FAILURES, ...NOT_FOUND },
    },
    handler: async (request) => {
      const { id } = request.params;
      const organizationId = organizationOf(request);
      if ((await knowledgeBases.find(organizationId, id)) === null) throw notFound('Knowledge base');
      // Files first: a request that fails in between can be repeated.
      await deleteSources(context, (await knowledgeBases.sourcesOf([id])).get(id) ?? []);
      if (!(await knowledgeBases.remove(organizationId, id))) throw notFound('Knowledge base');
      context.onSourcesChanged();
      return success(200, DELETED, null);
    },
  });
}

function searchKnowledgeBase(api: Api, { authenticate, repositories, searchKnowledge }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/knowledge-bases/:id/search',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'searchKnowledgeBase',
      summary: 'Search a knowledge base',
      description: 'Returns the passages that an agent would get for this query, best first, at most five.',
      tags: TAGS,
      params: idParams('the knowledge base'),
      querystring: knowledgeSearchQuery,
      response: { 200: envelopeOf(z.array(passageSchema), SEARCHED), ...FAILURES, ...NOT_FOUND },
    },
    handler: async (request) => {
      const organizationId = organizationOf(request);
      const base = await repositories.knowledgeBases.find(organizationId, request.params.id);
      if (base === null) throw notFound('Knowledge base');
      const { query } = request.query;
      const found = await searchKnowledge(organizationId, { knowledgeBaseIds: [base.id], query });
      const passages = found.map(({ sourceId, fileName, page, heading, content, score }) => ({
        source_id: sourceId,
        file_name: fileName,
        page,
        heading,
        content,
        score,
      }));
      return success(200, SEARCHED, passages);
    },
  });
}
