import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import WebSocket, { WebSocketServer } from 'ws';
import { createDeepgramTranscriber } from '../../adapters/deepgram/transcriber.ts';
import { createUtteranceTranscriber } from '../../adapters/openai/transcriber.ts';
import type { Transcriber, TranscriberEvent } from '../../engine/ports/transcriber.ts';
import { turnInfo } from '../../test/providers/deepgram-flux-listen.ts';
import { results } from '../../test/providers/deepgram-listen-messages.ts';
import { toneBytes } from '../../test/providers/speech-bytes.ts';
import { monotonicMs } from '../monotonic-clock.ts';
import { percentilesOf } from '../percentiles.ts';
import { Report } from '../report.ts';

/**
 * What a transcriber's adapter adds to its provider: audio handed over → read by the server, and words handed to the
 * server's socket → told. Server and adapter share one process and one loop, so that the kernel's loopback and both ends'
 * reading of it are in the figures; the first row is a bare socket between the same two.
 *
 *     node bench/transcribers/main.ts [--segments 2000]
 */
const { values } = parseArgs({ options: { segments: { type: 'string', default: '2000' } } });
const SEGMENTS = Number(values.segments);
/** Until the code is compiled. */
const WARM_UP_SEGMENTS = 300;
const TEXT = 'A table for two people, please.';
const FORMAT = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;
const FRAME = Buffer.alloc(160, 0x55);
/** What makes one whole utterance for a server of whole utterances: it is sent with the last frame of the silence. */
const UTTERANCE = Buffer.concat([toneBytes('mulaw', 8_000, 600), Buffer.alloc(8 * 280, 0xff)]);
const LAST_FRAME = Buffer.alloc(160, 0xff);

const moments = { writtenAtMs: 0, heardAtMs: 0, wordsAtMs: 0, toldAtMs: 0 };

interface Figures {
  readonly toServerMs: number[];
  readonly toToldMs: number[];
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

async function measure(say: () => Promise<void>): Promise<Figures> {
  const figures: Figures = { toServerMs: [], toToldMs: [] };
  for (let nth = 0; nth < WARM_UP_SEGMENTS + SEGMENTS; nth++) {
    await say();
    if (nth < WARM_UP_SEGMENTS) continue;
    figures.toServerMs.push(moments.heardAtMs - moments.writtenAtMs);
    figures.toToldMs.push(moments.toldAtMs - moments.wordsAtMs);
  }
  return figures;
}

async function measureSocket(
  open: (baseUrl: string, told: () => void) => Promise<{ write(): void; close(): void }>,
  message: (nth: number) => object,
): Promise<Figures> {
  const server = createServer();
  let nth = 0;
  new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket) => {
    socket.on('message', (_data, isBinary) => {
      if (!isBinary) return;
      moments.heardAtMs = monotonicMs();
      setImmediate(() => {
        const text = JSON.stringify(message(nth++));
        moments.wordsAtMs = monotonicMs();
        socket.send(text);
      });
    });
  });
  let heard: () => void = () => undefined;
  const stream = await open(await listening(server), () => {
    moments.toldAtMs = monotonicMs();
    heard();
  });
  const figures = await measure(async () => {
    const told = new Promise<void>((resolve) => {
      heard = resolve;
    });
    stream.write();
    await told;
  });
  stream.close();
  server.close();
  server.closeAllConnections();
  return figures;
}

/** A stream that is ready. */
function opened(transcriber: Transcriber, model: string | undefined, told: () => void) {
  return new Promise<{ write(audio: Uint8Array): void; close(): void }>((resolve, reject) => {
    const take = (event: TranscriberEvent): void => {
      if (event.type === 'ready') resolve(stream);
      else if (event.type === 'failed') reject(new Error(event.error.message));
      else if (event.type !== 'speech') told();
    };
    const options = { provider: 'bench', language: 'en', vocabulary: [], format: FORMAT };
    const stream = transcriber.open(model === undefined ? options : { ...options, model }, take);
  });
}

/** `frames`: how many make a piece that is sent. */
function measureDeepgram(model: string, frames: number, message: (nth: number) => object): Promise<Figures> {
  const open = async (baseUrl: string, told: () => void) => {
    const stream = await opened(createDeepgramTranscriber({ baseUrl, apiKey: 'none' }), model, told);
    const write = () => {
      for (let n = 1; n < frames; n++) stream.write(FRAME);
      moments.writtenAtMs = monotonicMs();
      stream.write(FRAME);
    };
    return { write, close: () => stream.close() };
  };
  return measureSocket(open, message);
}

function measureBareSocket(): Promise<Figures> {
  const open = async (baseUrl: string, told: () => void) => {
    const socket = new WebSocket(baseUrl.replace('http', 'ws'), { perMessageDeflate: false });
    socket.on('message', told);
    await once(socket, 'open');
    const write = () => {
      moments.writtenAtMs = monotonicMs();
      socket.send(FRAME);
    };
    return { write, close: () => socket.terminate() };
  };
  return measureSocket(open, () => ({ text: TEXT }));
}

async function measureUtterances(): Promise<Figures> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      moments.heardAtMs = monotonicMs();
      setImmediate(() => {
        moments.wordsAtMs = monotonicMs();
        response.end(JSON.stringify({ text: TEXT }));
      });
    });
  });
  const baseUrl = `${await listening(server)}/v1`;
  const transcriber = createUtteranceTranscriber({ provider: 'openai-compatible', baseUrl, apiKey: 'none' });
  let heard: () => void = () => undefined;
  const stream = await opened(transcriber, undefined, () => {
    moments.toldAtMs = monotonicMs();
    heard();
  });
  const figures = await measure(async () => {
    const told = new Promise<void>((resolve) => {
      heard = resolve;
    });
    stream.write(UTTERANCE);
    moments.writtenAtMs = monotonicMs();
    stream.write(LAST_FRAME);
    await told;
  });
  stream.close();
  await transcriber.close();
  server.close();
  return figures;
}

const report = new Report('transcribers');
const details: Record<string, object> = {};

function add(transcriber: string, { toServerMs, toToldMs }: Figures): void {
  const [toServer, toTold] = [percentilesOf(toServerMs), percentilesOf(toToldMs)];
  const shown = (ms: number) => ms.toFixed(3);
  report.add({
    transcriber,
    'audio → server p50 (ms)': shown(toServer.p50),
    'p99 (ms)': shown(toServer.p99),
    'words → told p50 (ms)': shown(toTold.p50),
    'p99 (ms) ': shown(toTold.p99),
  });
  details[transcriber] = { toServer, toTold };
}

const span = (nth: number) => ({ startMs: nth * 80, endMs: nth * 80 + 80 });
add('bare WebSocket', await measureBareSocket());
add('deepgram nova', await measureDeepgram('nova-3', 1, (nth) => results(TEXT, { ...span(nth), isFinal: true })));
const turn = (nth: number) => turnInfo('EndOfTurn', TEXT, { ...span(nth), turn: nth, timed: true });
add('deepgram flux', await measureDeepgram('flux-general-en', 4, turn));
add('openai-compatible (HTTP)', await measureUtterances());
report.note(`${SEGMENTS} segments each, one after another, ${WARM_UP_SEGMENTS} before them not counted.`);
report.note(
  'deepgram flux: from the last of the four frames of a piece. openai-compatible: 0.9 s of speech, as a WAV file.',
);
await report.finish(details);
