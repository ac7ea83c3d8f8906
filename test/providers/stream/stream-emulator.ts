import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import { Delays, LoopbackServer } from '../loopback-server.ts';
import type { StreamAnswer, StreamStep } from './stream-script.ts';

/** `nth` counts the requests of the server from 0. */
export type StreamScript<Body> = (body: Body, nth: number) => StreamAnswer;

/** The difference between the streaming APIs of the providers. */
export interface EmulatedApi<Body> {
  /** Path with query. */
  readonly path: string;
  readonly schema: z.ZodType<Body>;
  isAuthorized(request: IncomingMessage): boolean;
  /** The provider's objection to a well-formed body; null: none. */
  fault(body: Body): string | null;
  refuse(status: number, message: string): StreamAnswer;
}

export interface StreamEmulator<Body> {
  readonly origin: string;
  readonly requests: readonly Body[];
  readonly openSockets: number;
  readonly connections: number;
  /** Requests that are neither answered to the end nor dropped by the client. */
  readonly activeRequests: number;
  /** Requests that the client dropped before the end of the response. */
  readonly droppedRequests: number;
  /** Requests that were answered to the end, including refusals. */
  readonly answeredRequests: number;
  close(): Promise<void>;
}

/** A loopback server that answers POST requests with event streams. It rejects the requests that the provider rejects. */
export async function startStreamEmulator<Body>(
  api: EmulatedApi<Body>,
  script: StreamScript<Body>,
): Promise<StreamEmulator<Body>> {
  const server = await LoopbackServer.listen();
  const delays = new Delays();
  const requests: Body[] = [];
  let activeRequests = 0;
  let droppedRequests = 0;
  let answeredRequests = 0;

  server.http.on('request', (request, response) => {
    activeRequests++;
    response.on('close', () => {
      activeRequests--;
      if (response.writableFinished) answeredRequests++;
      else droppedRequests++;
    });
    readBody(request, (text) => {
      const answer = answerTo(request, text);
      delays.after(answer.delayMs ?? 0, () => play(answer, response, delays));
    });
  });

  function answerTo(request: IncomingMessage, text: string): StreamAnswer {
    if (request.method !== 'POST' || request.url !== api.path) return api.refuse(404, 'not found');
    if (!api.isAuthorized(request)) return api.refuse(401, `wrong key: ${JSON.stringify(request.headers)}`);
    const body = api.schema.safeParse(JSON.parse(text));
    if (!body.success) return api.refuse(400, body.error.message);
    const fault = api.fault(body.data);
    if (fault !== null) return api.refuse(400, fault);
    requests.push(body.data);
    return script(body.data, requests.length - 1);
  }

  return {
    origin: server.origin,
    requests,
    get openSockets() {
      return server.openSockets;
    },
    get connections() {
      return server.connections;
    },
    get activeRequests() {
      return activeRequests;
    },
    get droppedRequests() {
      return droppedRequests;
    },
    get answeredRequests() {
      return answeredRequests;
    },
    close: () => {
      delays.clear();
      return server.close();
    },
  };
}

function readBody(request: IncomingMessage, done: (text: string) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => done(Buffer.concat(chunks).toString('utf8')));
}

function play(answer: StreamAnswer, response: ServerResponse, delays: Delays): void {
  response.writeHead(answer.status ?? 200, { 'content-type': 'text/event-stream; charset=utf-8', ...answer.headers });
  response.flushHeaders();
  playFrom(answer.steps, 0, response, delays);
}

function playFrom(steps: readonly StreamStep[], at: number, response: ServerResponse, delays: Delays): void {
  const step = steps[at];
  if (step === undefined) {
    response.end();
    return;
  }
  if (step.type === 'stall' || response.destroyed) return;
  delays.after(step.delayMs ?? 0, () => {
    if (step.type === 'reset') {
      response.destroy();
      return;
    }
    response.write(step.type === 'raw' ? step.text : eventOf(step));
    playFrom(steps, at + 1, response, delays);
  });
}

function eventOf({ event, json }: Extract<StreamStep, { type: 'chunk' }>): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(json)}\n\n`;
}
