import type { IncomingMessage, ServerResponse } from 'node:http';
import { Delays, LoopbackServer } from '../loopback-server.ts';

/** The fields of a request, and the properties of its file according to the WAV header. */
export interface TranscriptionBody {
  readonly model: string;
  readonly language: string | null;
  readonly prompt: string | null;
  readonly sampleRateHz: number;
  readonly durationMs: number;
}

export type TranscriptionAnswer =
  | { readonly type: 'text'; readonly text: string; readonly delayMs?: number }
  | { readonly type: 'raw'; readonly body: string }
  | { readonly type: 'refusal'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** The connection is reset in the middle of the response. */
  | { readonly type: 'cut' }
  /** The server sends half of the response and then nothing. */
  | { readonly type: 'stall' }
  /** The server sends nothing. */
  | { readonly type: 'silence' };

export interface OpenAiTranscriptionEmulator {
  /** With the API version, as the adapters expect it. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly requests: readonly TranscriptionBody[];
  /** The largest number of uploads at once. */
  readonly requestsAtOnceMax: number;
  /** Requests that are neither answered to the end nor dropped by the client. */
  readonly activeRequests: number;
  /** Sends the oldest response that `hold` delays. */
  release(): void;
  close(): Promise<void>;
}

const API_KEY = 'sk-emulated-transcription-key';

/** A loopback server for OpenAI's `/audio/transcriptions`. With `hold`, responses wait for `release`. */
export async function startOpenAiTranscriptionEmulator(
  script: (body: TranscriptionBody, nth: number) => TranscriptionAnswer,
  hold = false,
): Promise<OpenAiTranscriptionEmulator> {
  const server = await LoopbackServer.listen();
  const delays = new Delays();
  const requests: TranscriptionBody[] = [];
  const heldResponses: (() => void)[] = [];
  let active = 0;
  let uploads = 0;
  let uploadsMax = 0;

  server.http.on('request', (request, response) => {
    active++;
    response.on('close', () => {
      active--;
    });
    serve(request, response).catch(() => refuse(response, 400));
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.authorization !== `Bearer ${API_KEY}`) {
      refuse(response, 401);
      return;
    }
    if (request.method === 'GET' && request.url === '/v1/models') {
      response.end('{"object":"list","data":[]}');
      return;
    }
    if (request.url !== '/v1/audio/transcriptions') {
      refuse(response, 404);
      return;
    }
    uploads++;
    uploadsMax = Math.max(uploadsMax, uploads);
    response.on('close', () => uploads--);
    const body = await bodyOf(request);
    requests.push(body);
    const answer = script(body, requests.length - 1);
    const answerNow = () => play(response, answer);
    if (hold) heldResponses.push(answerNow);
    else delays.after(answer.type === 'text' ? (answer.delayMs ?? 0) : 0, answerNow);
  }

  return {
    baseUrl: `${server.origin}/v1`,
    apiKey: API_KEY,
    requests,
    get requestsAtOnceMax() {
      return uploadsMax;
    },
    get activeRequests() {
      return active;
    },
    release: () => heldResponses.shift()?.(),
    close: () => {
      delays.clear();
      return server.close();
    },
  };
}

function play(response: ServerResponse, answer: TranscriptionAnswer): void {
  switch (answer.type) {
    case 'text':
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ text: answer.text }));
      return;
    case 'raw':
      response.setHeader('content-type', 'application/json').end(answer.body);
      return;
    case 'refusal':
      refuse(response, answer.status, answer.headers);
      return;
    case 'cut':
      response.write('{"text":"I wo', () => response.destroy());
      return;
    case 'stall':
      response.write('{"text":"I wo');
      return;
    case 'silence':
      return;
  }
}

/** Throws if the request is one that OpenAI rejects. */
async function bodyOf(request: IncomingMessage): Promise<TranscriptionBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  const form = await new Response(Buffer.concat(chunks), { headers }).formData();
  const [file, model, language, prompt] = ['file', 'model', 'language', 'prompt'].map((name) => form.get(name));
  if (!(file instanceof File) || typeof model !== 'string' || !/\.wav$/.test(file.name)) throw new Error('no request');
  const wav = Buffer.from(await file.arrayBuffer());
  const isWav = wav.toString('latin1', 0, 4) === 'RIFF' && wav.toString('latin1', 8, 16) === 'WAVEfmt ';
  const sampleRateHz = wav.readUInt32LE(24);
  const dataBytes = wav.readUInt32LE(40);
  if (!isWav || wav.readUInt16LE(34) !== 16 || wav.length !== 44 + dataBytes) throw new Error('no WAV');
  return {
    model,
    language: typeof language === 'string' ? language : null,
    prompt: typeof prompt === 'string' ? prompt : null,
    sampleRateHz,
    durationMs: (dataBytes / 2 / sampleRateHz) * 1000,
  };
}

function refuse(response: ServerResponse, status: number, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error: { message: `refused: ${API_KEY}`, code: 'refused' } }));
}
