import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionError } from 'fastify';
import { ApiError } from './api-error.ts';
import { failure } from './envelope.ts';

/** Responds to errors before a request exists: timeouts, oversized headers, malformed HTTP. */
export function sendClientError(error: Pick<ConnectionError, 'code'>, socket: Socket): void {
  if (error.code !== 'ECONNRESET') sendRawError(apiErrorOf(error.code), socket);
}

/** Responds to CONNECT, for which Node makes no response object: without a listener it closes the connection in silence. */
export function refuseTunnel(_request: unknown, socket: Duplex): void {
  sendRawError(new ApiError('bad_request', { message: 'CONNECT is not supported: this server is no proxy' }), socket);
}

function sendRawError(error: ApiError, socket: Duplex): void {
  if (socket.destroyed) return;
  const answer = failure(error);
  const body = JSON.stringify(answer);
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroy();
}

function apiErrorOf(code: string): ApiError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('request_timeout');
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('headers_too_large');
    default:
      return new ApiError('bad_request', { message: 'Malformed HTTP request' });
  }
}
