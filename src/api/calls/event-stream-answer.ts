import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Answers with an event stream that `send` writes. `release` is called once it has ended. Never rejects. */
export async function answerWithEvents(
  request: Pick<FastifyRequest, 'log'>,
  reply: FastifyReply,
  release: () => void,
  send: (response: ServerResponse) => Promise<void>,
): Promise<void> {
  reply.hijack();
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
  reply.raw.writeHead(200, { ...headers, 'x-accel-buffering': 'no' });
  reply.raw.flushHeaders();
  try {
    await send(reply.raw);
  } catch (error) {
    request.log.warn({ err: error }, 'call event stream failed');
  } finally {
    release();
    reply.raw.end();
  }
}
