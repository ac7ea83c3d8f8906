import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]+)/i;
const ASCII_OR_UTF8 = ['utf-8', 'utf8', 'us-ascii'];
const COMPRESSED = 'The Content-Encoding must be identity: send the body uncompressed';
const OTHER_CHARSET = 'The charset must be utf-8';

/** Refuses compressed bodies and bodies in another charset with 415. */
export function refuseEncodedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', async ({ headers }, reply, payload) => {
    if (isCompressed(headers)) {
      // RFC 9110 §15.5.16
      reply.header('accept-encoding', 'identity');
      throw new ApiError('media_type', { message: COMPRESSED });
    }
    const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
    if (!ASCII_OR_UTF8.includes(charset)) throw new ApiError('media_type', { message: OTHER_CHARSET });
    return payload;
  });
}

function isCompressed(headers: IncomingHttpHeaders): boolean {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return encoding !== '' && encoding !== 'identity';
}
