import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { LoopbackServer } from '../loopback-server.ts';

const bodySchema = z.object({
  model: z.string(),
  input: z.array(z.string()).min(1),
  encoding_format: z.enum(['float', 'base64']).default('float'),
});

export type EmbeddingBody = z.output<typeof bodySchema>;

export type EmbeddingAnswer =
  /** One vector a text, in the requested encoding. */
  | { readonly type: 'vectors'; readonly vectors: readonly (readonly number[])[] }
  /** The vectors as JSON numbers, from a server that does not support base64. */
  | { readonly type: 'numbers'; readonly vectors: readonly (readonly number[])[] }
  | { readonly type: 'raw'; readonly body: string }
  | { readonly type: 'refusal'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** The connection is reset in the middle of the response. */
  | { readonly type: 'cut' }
  /** The server sends half of the response and then nothing. */
  | { readonly type: 'stall' }
  /** The server sends nothing. */
  | { readonly type: 'silence' };

export interface OpenAiEmbeddingEmulator {
  /** With the API version, as the adapters expect it. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly requests: readonly EmbeddingBody[];
  close(): Promise<void>;
}

const API_KEY = 'sk-emulated-embedding-key';

/** A loopback server for OpenAI's `/embeddings`. */
export async function startOpenAiEmbeddingEmulator(
  script: (body: EmbeddingBody, nth: number) => EmbeddingAnswer,
): Promise<OpenAiEmbeddingEmulator> {
  const server = await LoopbackServer.listen();
  const requests: EmbeddingBody[] = [];
  server.http.on('request', async (request, response) => {
    if (request.headers.authorization !== `Bearer ${API_KEY}`) return refuse(response, 401);
    if (request.method !== 'POST' || request.url !== '/v1/embeddings') return refuse(response, 404);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const body = bodySchema.safeParse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    if (!body.success) return refuse(response, 400);
    requests.push(body.data);
    play(response, body.data, script(body.data, requests.length - 1));
  });
  return { baseUrl: `${server.origin}/v1`, apiKey: API_KEY, requests, close: () => server.close() };
}

function play(response: ServerResponse, { encoding_format, model }: EmbeddingBody, answer: EmbeddingAnswer): void {
  switch (answer.type) {
    case 'vectors':
      answerVectors(response, model, answer.vectors, encoding_format);
      return;
    case 'numbers':
      answerVectors(response, model, answer.vectors, 'float');
      return;
    case 'raw':
      response.setHeader('content-type', 'application/json').end(answer.body);
      return;
    case 'refusal':
      refuse(response, answer.status, answer.headers);
      return;
    case 'cut':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"object":"list","da', () => response.destroy());
      return;
    case 'stall':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"object":"list","da');
      return;
    case 'silence':
      return;
  }
}

/** In reverse order: a client must read the index. */
function answerVectors(
  response: ServerResponse,
  model: string,
  vectors: readonly (readonly number[])[],
  encoding: EmbeddingBody['encoding_format'],
): void {
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: encoding === 'float' ? vector : Buffer.from(Float32Array.from(vector).buffer).toString('base64'),
  }));
  const body = { object: 'list', data: data.reverse(), model, usage: { prompt_tokens: 8, total_tokens: 8 } };
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
}

function refuse(response: ServerResponse, status: number, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error: { message: `refused: ${API_KEY}`, code: 'refused' } }));
}
