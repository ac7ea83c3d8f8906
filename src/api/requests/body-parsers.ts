import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { jsonFault } from '../../validation/json-fault.ts';
import { ApiError } from '../errors/api-error.ts';
import { NOT_MULTIPART } from '../knowledge/source-upload.ts';
import { refuseEncodedBodies } from './body-encoding.ts';

const NOT_UTF8 = 'The body is not valid UTF-8: JSON must be encoded in UTF-8';
const NOT_JSON = 'The body is not valid JSON';
/** Length of a body in which the fault is looked for: longer ones would hold up the main thread for hundreds of ms. */
const PLACED_LENGTH_MAX = 131_072;
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
  // Decoded here: Fastify would put U+FFFD in the place of bytes that are not UTF-8.
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (!isUtf8(body)) {
      done(new ApiError('body_unparsable', { message: NOT_UTF8 }));
      return;
    }
    // A byte order mark is not part of the JSON (RFC 8259 §8.1).
    const text = body.toString().replace(/^\uFEFF/, '');
    if (text === '') {
      done(null, undefined);
      return;
    }
    void parseJson(request, text, (error, value) => {
      if (error === null) done(null, value);
      else done(new ApiError('body_unparsable', { message: jsonMessage(text) }));
    });
  });
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    const { readsBody } = request.routeOptions.config;
    if (body.length === 0) done(null, undefined);
    else done(new ApiError('media_type', readsBody === true ? { message: NOT_MULTIPART } : {}));
  });
}

/** Why the parser refused the text, without any of the text: it may hold numbers and secrets. */
function jsonMessage(text: string): string {
  if (isJson(text)) return FORBIDDEN_NAME;
  const fault = text.length > PLACED_LENGTH_MAX ? null : jsonFault(text);
  if (fault === null) return NOT_JSON;
  const { column, expected, line } = fault;
  return `${NOT_JSON}: line ${line}, column ${column}: expected ${expected}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
