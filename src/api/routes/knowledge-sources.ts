import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { dropSources, sourcePath } from '../../knowledge/source-file.ts';
import { DatabaseError } from '../../storage/link/database-error.ts';
import type { Api, RouteContext } from '../api.ts';
import { invalidField, notFound } from '../api-error.ts';
import { organizationOf } from '../authentication.ts';
import { envelopeOf, FAILURES, failureSchema, success } from '../envelope.ts';
import { knowledgeBaseAnswer } from '../knowledge-base-answer.ts';
import {
  knowledgeBaseSchema,
  SOURCES_MAX,
  sourceIdsBody,
  sourceParams,
  uploadBody,
} from '../schemas/knowledge-base.ts';
import { idParams } from '../schemas/primitives.ts';
import { takeSources } from '../source-upload.ts';

const TAGS = ['Knowledge bases'];

/** In a scope of its own: nowhere else is multipart taken. */
export async function addKnowledgeSourceRoutes(app: FastifyInstance, context: RouteContext): Promise<void> {
  await app.register(async (scope) => {
    await scope.register(multipart);
    const api: Api = scope.withTypeProvider<ZodTypeProvider>();
    addSources(api, context);
    removeSources(api, context);
    getSourceFile(api, context);
  });
}

function addSources(api: Api, context: RouteContext): void {
  const { authenticate, clock, dataDir, repositories } = context;
  const { knowledgeBases } = repositories;
  api.route({
    method: 'POST',
    url: '/v1/knowledge-bases/:id/sources',
    onRequest: authenticate('write'),
    config: { creates: true, readsBody: true },
    schema: {
      operationId: 'addSources',
      summary: 'Add sources to a knowledge base',
      description:
        'multipart/form-data with file_sources (one or more PDF files, each at most 20 MiB, at most 20 in a request) and ' +
        'text_sources (a JSON array of objects with title and content, each at most 1 MiB, 4 MiB in all). They are read after the ' +
        'answer, one at a time: a source is ingesting, then ready, or failed with its error (encrypted, scanned, damaged …). ' +
        `At most ${SOURCES_MAX} sources in a knowledge base.`,
      tags: TAGS,
      consumes: ['multipart/form-data'],
      params: idParams,
      body: uploadBody,
      response: { 200: envelopeOf(knowledgeBaseSchema), ...FAILURES, 413: failureSchema, 415: failureSchema },
    },
    handler: async (request, reply) => {
      const base = await knowledgeBases.find(organizationOf(request), request.params.id);
      if (base === null) throw notFound('Knowledge base');
      const before = (await knowledgeBases.sourcesOf([base.id])).get(base.id) ?? [];
      const { said, sources } = await takeSources(request, { baseId: base.id, dataDir, nowMs: clock.wallMs() });
      const drop = () => dropSources(dataDir, sources);
      const answerAgain = await context.heedIdempotencyKey(request, reply, said).catch(async (error: unknown) => {
        await drop();
        throw error;
      });
      if (answerAgain !== null) {
        await drop();
        answerAgain();
        return reply;
      }
      if (before.length + sources.length > SOURCES_MAX) {
        await dropSources(dataDir, sources);
        throw invalidField('file_sources', `expected at most ${SOURCES_MAX} sources in a knowledge base`);
      }
      try {
        await knowledgeBases.addSources(sources);
      } catch (error) {
        await dropSources(dataDir, sources);
        throw error instanceof DatabaseError && error.fault === 'constraint' ? notFound('Knowledge base') : error;
      }
      context.onSourcesChanged();
      return success(200, 'Sources added', knowledgeBaseAnswer(base, [...before, ...sources], context.publicUrl()));
    },
  });
}

function removeSources(api: Api, context: RouteContext): void {
  const { authenticate, dataDir, repositories } = context;
  const { knowledgeBases } = repositories;
  api.route({
    method: 'DELETE',
    url: '/v1/knowledge-bases/:id/sources',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'removeSources',
      summary: 'Remove sources from a knowledge base',
      description: 'They are found no more at once. Ids that are not in it are passed over.',
      tags: TAGS,
      params: idParams,
      body: sourceIdsBody,
      response: { 200: envelopeOf(knowledgeBaseSchema), ...FAILURES },
    },
    handler: async (request) => {
      const base = await knowledgeBases.find(organizationOf(request), request.params.id);
      if (base === null) throw notFound('Knowledge base');
      const before = (await knowledgeBases.sourcesOf([base.id])).get(base.id) ?? [];
      const ids = new Set(request.body.source_ids);
      await knowledgeBases.removeSources(base.id, [...ids]);
      await dropSources(
        dataDir,
        before.filter(({ id }) => ids.has(id)),
      );
      context.onSourcesChanged();
      const left = before.filter(({ id }) => !ids.has(id));
      return success(200, 'Sources removed', knowledgeBaseAnswer(base, left, context.publicUrl()));
    },
  });
}

function getSourceFile(api: Api, { authenticate, dataDir, repositories }: RouteContext): void {
  const { knowledgeBases } = repositories;
  api.route({
    method: 'GET',
    url: '/v1/knowledge-bases/:id/sources/:source_id/file',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'getSourceFile',
      summary: "Get a source's bytes",
      description: 'The PDF as it was added, or the text as UTF-8.',
      tags: TAGS,
      params: sourceParams,
      response: {
        200: {
          description: 'The bytes',
          content: {
            'application/pdf': { schema: z.any().meta({ format: 'binary' }) },
            'text/plain': { schema: z.any() },
          },
        },
        ...FAILURES,
      },
    },
    handler: async (request, reply) => {
      const base = await knowledgeBases.find(organizationOf(request), request.params.id);
      const sources = base === null ? undefined : (await knowledgeBases.sourcesOf([base.id])).get(base.id);
      const source = sources?.find(({ id }) => id === request.params.source_id);
      if (source === undefined) throw notFound('Source');
      const path = sourcePath(dataDir, source);
      const file = await stat(path).catch(() => null);
      if (file === null) throw notFound('File');
      return reply
        .type(source.type === 'file' ? 'application/pdf' : 'text/plain; charset=utf-8')
        .header('content-length', file.size)
        .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(source.fileName)}`)
        .header('x-content-type-options', 'nosniff')
        .send(createReadStream(path));
    },
  });
}
