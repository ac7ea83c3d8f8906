import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { FairSlots } from '../../../base/limits/fair-slots.ts';
import {
  deleteSources,
  discardSources,
  markUnsentSources,
  sendSources,
  sourceKey,
  unspoolSources,
} from '../../background/knowledge/knowledge-file.ts';
import { ObjectStoreError } from '../../object-storage/object-store.ts';
import { SOURCES_MAX, WAITING_SOURCES_MAX } from '../../storage/knowledge/knowledge-base-repository.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { ApiError, invalidField, notFound } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, failures, success } from '../errors/envelope.ts';
import { knowledgeBaseFromRecord } from '../knowledge/knowledge-base-from-record.ts';
import { DISK_FULL, FILE_TOO_LARGE, NOT_MULTIPART, readUpload } from '../knowledge/source-upload.ts';
import { organizationOf } from '../requests/authentication.ts';
import { knowledgeBaseSchema, sourceIdsBody, sourceParams, uploadBody } from '../schemas/knowledge-base.ts';
import { idParams } from '../schemas/primitives.ts';

/** Simultaneous uploads: each holds up to 4 MiB of texts in memory. */
const UPLOADS_MAX = 64;
/** `retry-after` while too many sources wait: reading one takes up to a minute. */
const WAITING_RETRY_SECONDS = 30;
const UPLOADS_RETRY_SECONDS = 5;

const TAGS = ['Knowledge bases'];
const ADDED = 'Sources added';
const REMOVED = 'Sources removed';
const TOO_MANY_WAITING = `At most ${WAITING_SOURCES_MAX} sources of an organization wait to be read: retry later`;
const TOO_MANY_UPLOADS = 'Too many simultaneous uploads: retry later';
const NOT_FOUND = failures({ 404: 'Knowledge base not found' });

/** These routes have a separate scope: no other route accepts multipart bodies. */
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
  const uploads = new FairSlots(UPLOADS_MAX);
  api.route({
    method: 'POST',
    url: '/v1/knowledge-bases/:id/sources',
    onRequest: context.authenticate('write'),
    config: { creates: true, readsBody: true },
    schema: {
      operationId: 'addSources',
      summary: 'Add sources to a knowledge base',
      description:
        'Uploads PDF files (`file_sources`) and texts (`text_sources`) as `multipart/form-data`. The response is immediate; the ' +
        'sources are read afterwards. The `status` of a source is `ingesting`, then `ready`, or `failed` with an ' +
        '`error`, for example for an encrypted, scanned or damaged PDF. A failed source does not affect the others. ' +
        `A knowledge base holds at most ${SOURCES_MAX} sources. At most ${WAITING_SOURCES_MAX} sources of an organization wait to be ` +
        'read: 429 beyond that. 503: the disk of the service is nearly full.',
      tags: TAGS,
      consumes: ['multipart/form-data'],
      params: idParams('the knowledge base'),
      body: uploadBody,
      response: {
        200: envelopeOf(knowledgeBaseSchema, ADDED),
        ...FAILURES,
        ...NOT_FOUND,
        ...failures({ 413: FILE_TOO_LARGE, 415: NOT_MULTIPART, 503: DISK_FULL }),
      },
    },
    handler: async (request, reply) => {
      const release = uploads.take(organizationOf(request));
      if (release === null) throw tooMany(TOO_MANY_UPLOADS, UPLOADS_RETRY_SECONDS);
      try {
        return await upload(context, request, reply, request.params.id);
      } finally {
        release();
      }
    },
  });
}

async function upload(context: RouteContext, request: FastifyRequest, reply: FastifyReply, baseId: string) {
  const { clock, repositories } = context;
  const { knowledgeBases } = repositories;
  const organizationId = organizationOf(request);
  const base = await knowledgeBases.find(organizationId, baseId);
  if (base === null) throw notFound('Knowledge base');
  // Before the upload, which may take minutes.
  if ((await knowledgeBases.waitingSources(organizationId)) >= WAITING_SOURCES_MAX) throw tooManyWaiting();
  const before = (await knowledgeBases.sourcesOf([base.id])).get(base.id) ?? [];
  const target = { ...context, baseId: base.id, nowMs: clock.wallMs() };
  const { fingerprint, sources } = await readUpload(request, target);
  try {
    const answerAgain = await context.heedIdempotencyKey(request, reply, fingerprint);
    if (answerAgain !== null) {
      await discardSources(context.dataDir, sources);
      answerAgain();
      return reply;
    }
    await sendSources(context, sources);
    const outcome = await knowledgeBases.addSources(sources);
    if (outcome === 'gone') throw notFound('Knowledge base');
    if (outcome === 'base_full')
      throw invalidField('file_sources', `expected at most ${SOURCES_MAX} sources per knowledge base`);
    if (outcome === 'organization_full') throw tooManyWaiting();
  } catch (error) {
    // If the object store is unreachable, the next start deletes the remaining files.
    await deleteSources(context, sources).catch(() => undefined);
    if (error instanceof ObjectStoreError) await markUnsentSources(context, sources);
    throw error;
  }
  await unspoolSources(context, sources);
  context.onSourcesChanged();
  return success(200, ADDED, knowledgeBaseFromRecord(base, [...before, ...sources], context.publicUrl()));
}

function tooManyWaiting(): ApiError {
  return tooMany(TOO_MANY_WAITING, WAITING_RETRY_SECONDS);
}

function tooMany(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError('rate_limited', { message, retryAfterSeconds });
}

function removeSources(api: Api, context: RouteContext): void {
  const { authenticate, repositories } = context;
  const { knowledgeBases } = repositories;
  api.route({
    method: 'DELETE',
    url: '/v1/knowledge-bases/:id/sources',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'removeSources',
      summary: 'Remove sources from a knowledge base',
      description: 'Deletes the sources. Searches stop finding them at once. Identifiers of other sources are ignored.',
      tags: TAGS,
      params: idParams('the knowledge base'),
      body: sourceIdsBody,
      response: { 200: envelopeOf(knowledgeBaseSchema, REMOVED), ...FAILURES, ...NOT_FOUND },
    },
    handler: async (request) => {
      const base = await knowledgeBases.find(organizationOf(request), request.params.id);
      if (base === null) throw notFound('Knowledge base');
      const before = (await knowledgeBases.sourcesOf([base.id])).get(base.id) ?? [];
      const ids = new Set(request.body.source_ids);
      // Files first: a request that fails in between can be repeated.
      await deleteSources(
        context,
        before.filter(({ id }) => ids.has(id)),
      );
      await knowledgeBases.removeSources(base.id, [...ids]);
      context.onSourcesChanged();
      const left = before.filter(({ id }) => !ids.has(id));
      return success(200, REMOVED, knowledgeBaseFromRecord(base, left, context.publicUrl()));
    },
  });
}

function getSourceFile(api: Api, { authenticate, files, repositories }: RouteContext): void {
  const { knowledgeBases } = repositories;
  api.route({
    method: 'GET',
    url: '/v1/knowledge-bases/:id/sources/:source_id/file',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'getSourceFile',
      summary: 'Get the content of a source',
      description: 'Returns the uploaded PDF file, or the text as UTF-8.',
      tags: TAGS,
      params: sourceParams,
      response: {
        200: {
          description: 'The content of the source',
          content: {
            'application/pdf': { schema: z.any().meta({ type: 'string', format: 'binary' }) },
            'text/plain': { schema: z.any() },
          },
        },
        ...FAILURES,
        ...failures({ 404: 'Source not found' }),
      },
    },
    handler: async (request, reply) => {
      const base = await knowledgeBases.find(organizationOf(request), request.params.id);
      const sources = base === null ? undefined : (await knowledgeBases.sourcesOf([base.id])).get(base.id);
      const source = sources?.find(({ id }) => id === request.params.source_id);
      if (source === undefined) throw notFound('Source');
      const file = await files.find(sourceKey(source));
      if (file === null) throw notFound('File');
      const content = await file.read(null);
      return reply
        .type(source.type === 'file' ? 'application/pdf' : 'text/plain; charset=utf-8')
        .header('content-length', file.size)
        .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(source.fileName)}`)
        .header('x-content-type-options', 'nosniff')
        .send(content);
    },
  });
}
