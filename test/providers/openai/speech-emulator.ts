import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { Delays, LoopbackServer } from '../loopback-server.ts';
import { EMULATED_MS_PER_CHARACTER, type SpeakAnswer } from '../speech/speak-answer.ts';
import { playSpeech } from '../speech/speech-playback.ts';
import { toneBytes } from '../speech/tone-speech.ts';

const bodySchema = z.strictObject({
  model: z.string().min(1),
  voice: z.string().min(1),
  input: z.string().min(1).max(4_096),
  response_format: z.literal('pcm'),
  speed: z.number().min(0.25).max(4).optional(),
  instructions: z.string().optional(),
});

export type SpeechBody = z.output<typeof bodySchema>;

export interface SpeechAnswer extends SpeakAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An error response instead of audio. */
  readonly error?: { readonly message: string; readonly code?: string };
  /** An error response in the format of FastAPI, instead of audio. */
  readonly detail?: unknown;
}

export interface OpenAiSpeechEmulator {
  /** With the API version, as the adapters expect it. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly requests: readonly SpeechBody[];
  readonly openSockets: number;
  readonly connections: number;
  /** Requests that are neither answered to the end nor dropped by the client. */
  readonly activeRequests: number;
  readonly droppedRequests: number;
  close(): Promise<void>;
}

const API_KEY = 'sk-emulated-speech-key';

/** A loopback server for OpenAI's speech API: it streams raw samples at 24 kHz. */
export async function startOpenAiSpeechEmulator(
  script: (body: SpeechBody, nth: number) => SpeechAnswer,
): Promise<OpenAiSpeechEmulator> {
  const server = await LoopbackServer.listen();
  const delays = new Delays();
  const requests: SpeechBody[] = [];
  let activeRequests = 0;
  let droppedRequests = 0;

  server.http.on('request', (request, response) => {
    activeRequests++;
    response.on('close', () => {
      activeRequests--;
      if (!response.writableFinished) droppedRequests++;
    });
    readBody(request, (text) => answer(request, response, text));
  });

  function answer(request: IncomingMessage, response: ServerResponse, text: string): void {
    if (request.headers.authorization !== `Bearer ${API_KEY}`) {
      refuse(response, 401, { message: `Incorrect API key provided: ${request.headers.authorization}` });
      return;
    }
    if (request.method === 'GET' && request.url === '/v1/models') {
      response.setHeader('content-type', 'application/json');
      response.end('{"object":"list","data":[]}');
      return;
    }
    const body = request.url === '/v1/audio/speech' ? bodySchema.safeParse(JSON.parse(text)) : undefined;
    if (!body?.success) {
      refuse(response, body === undefined ? 404 : 400, { message: 'no such request', code: 'invalid_request' });
      return;
    }
    requests.push(body.data);
    speak(response, body.data, script(body.data, requests.length - 1), delays);
  }

  return {
    baseUrl: `${server.origin}/v1`,
    apiKey: API_KEY,
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
    close: () => {
      delays.clear();
      return server.close();
    },
  };
}

function speak(response: ServerResponse, body: SpeechBody, answer: SpeechAnswer, delays: Delays): void {
  if (answer.error !== undefined) {
    refuse(response, answer.status ?? 500, answer.error, answer.headers);
    return;
  }
  if (answer.detail !== undefined) {
    response.writeHead(answer.status ?? 422, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ detail: answer.detail }));
    return;
  }
  // A stall before the first audio also withholds the headers.
  if (answer.breakBy === 'stall' && answer.breakAfterChunks === undefined) return;
  response.writeHead(200, { 'content-type': 'audio/pcm', ...answer.headers });
  const audio = answer.audio ?? toneBytes('linear16', 24_000, body.input.length * EMULATED_MS_PER_CHARACTER);
  playSpeech(answer, audio, delays, {
    isWanted: () => !response.destroyed,
    chunk: (bytes) => response.write(bytes),
    breaks: (by) => {
      // `end` delivers the bytes already written; `destroy` discards them.
      if (by === 'close') response.socket?.end();
      else if (by !== 'stall') response.destroy();
    },
    end: () => response.end(),
  });
}

function refuse(
  response: ServerResponse,
  status: number,
  error: { readonly message: string; readonly code?: string },
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error }));
}

function readBody(request: IncomingMessage, done: (text: string) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => done(Buffer.concat(chunks).toString('utf8')));
}
