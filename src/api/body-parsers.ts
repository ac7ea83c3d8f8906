import type { FastifyInstance } from 'fastify';
import { ApiError } from './api-error.ts';

/**
 * Bodies are JSON. An empty one is no body, whatever its content type says, so that clients which always send one can
 * terminate a call; a route that needs a body then says so itself.
 */
export function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body.toString();
    if (text === '') {
      done(null, undefined);
      return;
    }
    void parseJson(request, text, (error, value) => {
      if (error === null) done(null, value);
      else done(new ApiError('body_unparsable'));
    });
  });
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else done(new ApiError('media_type'));
  });
}
