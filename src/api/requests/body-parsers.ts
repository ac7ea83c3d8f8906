import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { NOT_MULTIPART } from '../knowledge/source-upload.ts';
import { refuseEncodedBodies } from './body-encoding.ts';

const FORBIDDEN_NAME =
  'The body has the name __proto__, or constructor with a prototype in it, which no field and no variable may have';

/**
 * Accepts JSON bodies. An empty body counts as no body under any content type, because some clients always send a content type,
 * for example to terminate a call. Routes that need a body validate it.
 */
export function addBodyParsers(app: FastifyInstance): void {
  refuseEncodedBodies(app);
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
      else done(new ApiError('body_unparsable', isJson(text) ? { message: FORBIDDEN_NAME } : {}));
    });
  });
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    const { readsBody } = request.routeOptions.config;
    if (body.length === 0) done(null, undefined);
    else done(new ApiError('media_type', readsBody === true ? { message: NOT_MULTIPART } : {}));
  });
}

/** Whether the text is JSON: then the parser refused it for a name in it. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
