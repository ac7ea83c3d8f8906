import { z } from 'zod';
import type { Api, RouteContext } from '../context/route-context.ts';
import { notFound } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, failures } from '../errors/envelope.ts';
import { organizationOf } from '../requests/authentication.ts';
import { sourceParams, sourceTextQuery, sourceTextSchema } from '../schemas/knowledge-base.ts';
import { LIST_MESSAGE, listFields } from '../schemas/pagination.ts';

/** The routes of the text that was read from sources of knowledge bases. */
export function knowledgeTextRoutes(api: Api, { authenticate, repositories }: RouteContext): void {
  const { knowledgeBases, knowledgeChunks } = repositories;
  api.route({
    method: 'GET',
    url: '/v1/knowledge-bases/:id/sources/:source_id/text',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'getSourceText',
      summary: 'Get the text that was read from a source',
      description:
        'Returns the passages of a source that is `ready`, in the order of its pages: what a search looks through. A page without a ' +
        'passage has no text that could be read, for example only a picture. Pass `next_cursor` of the response as `cursor` of the next ' +
        'request until it is null.',
      tags: ['Knowledge bases'],
      params: sourceParams,
      querystring: sourceTextQuery,
      response: {
        200: envelopeOf(z.array(sourceTextSchema), LIST_MESSAGE).extend(listFields),
        ...FAILURES,
        ...failures({ 404: 'Source not found' }),
      },
    },
    handler: async (request) => {
      const { id, source_id: sourceId } = request.params;
      const { cursor = 0, limit } = request.query;
      const base = await knowledgeBases.find(organizationOf(request), id);
      const sources = base === null ? undefined : (await knowledgeBases.sourcesOf([base.id])).get(base.id);
      const source = sources?.find((one) => one.id === sourceId);
      if (source === undefined) throw notFound('Source');
      const found = source.status === 'ready' ? await knowledgeChunks.ofSource(sourceId, cursor, limit) : [];
      const data = found.map(({ content, heading, page }) => ({ page, heading, content }));
      const last = found.length === limit ? found.at(-1) : undefined;
      const next = last === undefined ? null : String(last.id);
      return { message: `${data.length} found`, data, error: null, status: 200, next_cursor: next };
    },
  });
}
