import { once } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import WebSocket, { WebSocketServer } from 'ws';
import { createDeepgramTranscriber } from '../../adapters/deepgram/transcriber.ts';
import { createScribeTranscriber } from '../../adapters/elevenlabs/transcriber.ts';
import { createRealtimeTranscriber } from '../../adapters/openai/realtime-transcriber.ts';
import { createUtteranceTranscriber } from '../../adapters/openai/transcriber.ts';
import type { Transcriber, TranscriberEvent } from '../../engine/ports/transcriber.ts';
import { turnInfo } from '../../test/providers/deepgram/flux-listen.ts';
import { results } from '../../test/providers/deepgram/listen-messages.ts';
import { toneBytes } from '../../test/providers/speech/tone-speech.ts';
import { cpuMeter } from '../cpu-meter.ts';
import { listenOnLoopback } from '../listen-on-loopback.ts';
import { monotonicMs } from '../monotonic-clock.ts';
import { percentilesOf } from '../percentiles.ts';
import { Report } from '../report.ts';

/**
 * The delay that a transcriber's adapter adds to its provider: from `write` until the server has read the audio, and from
 * the write of the words at the server until the event. Server and adapter share one process and one event loop, so the
 * results include the kernel's loopback and both ends' reading. The first row is a bare socket between the two.
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
/** A whole utterance, for servers that transcribe one request per utterance. The next frame of silence completes it. */
const UTTERANCE = Buffer.concat([toneBytes('mulaw', 8_000, 600), Buffer.alloc(8 * 280, 0xff)]);
const LAST_FRAME = Buffer.alloc(160, 0xff);
/** Speech of a caller who speaks in every other second, in frames of 20 ms. */
const SPEAKING = toneBytes('mulaw', 8_000, 1_000);
const MINUTE_FRAMES = 3_000;
/** Frames written before the event loop reads the sockets again. */
const FRAMES_AT_ONCE = 25;

/** False while the CPU is measured: the server then sends no words. */
let isReporting = true;
const moments = { writtenAtMs: 0, heardAtMs: 0, wordsAtMs: 0, reportedAtMs: 0 };

interface Measurement {
  readonly toServerMs: number[];
  readonly toReportedMs: number[];
  /** CPU for a minute of the caller's audio, ms, the server's share included. */
  readonly minuteCpuMs: number;
}

interface AudioSink {
  write(audio: Uint8Array): void;
}

async function minuteCpuMs(stream: AudioSink): Promise<number> {
  isReporting = false;
  const cpu = cpuMeter();
  for (let frame = 0; frame < MINUTE_FRAMES; frame++) {
    const at = (frame % 50) * 160;
    stream.write(frame % 100 < 50 ? SPEAKING.subarray(at, at + 160) : LAST_FRAME);
    if (frame % FRAMES_AT_ONCE === 0) await nextTurn();
  }
  await nextTurn();
  isReporting = true;
  return cpu();
}

async function measure(stream: AudioSink, transcribeOnce: () => Promise<void>): Promise<Measurement> {
  const figures = { toServerMs: [] as number[], toReportedMs: [] as number[] };
  for (let nth = 0; nth < WARM_UP_SEGMENTS + SEGMENTS; nth++) {
    await transcribeOnce();
    if (nth < WARM_UP_SEGMENTS) continue;
    figures.toServerMs.push(moments.heardAtMs - moments.writtenAtMs);
    figures.toReportedMs.push(moments.reportedAtMs - moments.wordsAtMs);
  }
  await minuteCpuMs(stream);
  return { ...figures, minuteCpuMs: await minuteCpuMs(stream) };
}

/** Kind of a message at the server: audio that gets words, a message that gets `answers` at once, or another. */
type KindOf = (data: string, isBinary: boolean) => 'audio' | 'other' | { readonly answers: readonly object[] };

async function measureSocket(
  open: (baseUrl: string, reported: () => void) => Promise<AudioSink & { say(): void; close(): void }>,
  message: (nth: number) => object,
  kindOf: KindOf = (_data, isBinary) => (isBinary ? 'audio' : 'other'),
): Promise<Measurement> {
  const server = createServer();
  let nth = 0;
  new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket) => {
    socket.on('message', (data, isBinary) => {
      const kind = kindOf(isBinary ? '' : String(data), isBinary);
      // Without an answer the adapter would report a failure of the provider.
      if (typeof kind === 'object') for (const answer of kind.answers) socket.send(JSON.stringify(answer));
      if (kind !== 'audio' || !isReporting) return;
      moments.heardAtMs = monotonicMs();
      setImmediate(() => {
        const text = JSON.stringify(message(nth++));
        moments.wordsAtMs = monotonicMs();
        socket.send(text);
      });
    });
  });
  let heard: () => void = () => undefined;
  const stream = await open(await listenOnLoopback(server), () => {
    moments.reportedAtMs = monotonicMs();
    heard();
  });
  const figures = await measure(stream, async () => {
    const reported = new Promise<void>((resolve) => {
      heard = resolve;
    });
    stream.say();
    await reported;
  });
  stream.close();
  server.close();
  server.closeAllConnections();
  return figures;
}

/** Opens a stream and waits until it is ready. */
function openStream(transcriber: Transcriber, model: string | undefined, reported: () => void) {
  return new Promise<{ write(audio: Uint8Array): void; close(): void }>((resolve, reject) => {
    const take = (event: TranscriberEvent): void => {
      if (event.type === 'ready') resolve(stream);
      else if (event.type === 'failed') reject(new Error(event.error.message));
      else reported();
    };
    const options = { provider: 'bench', language: 'en', vocabulary: [], format: FORMAT };
    const stream = transcriber.open(model === undefined ? options : { ...options, model }, take);
  });
}

/** `frames`: the number of frames that the adapter sends as one piece. */
function measureStreamed(
  transcriberOf: (access: { readonly baseUrl: string; readonly apiKey: string }) => Transcriber,
  model: string,
  frames: number,
  message: (nth: number) => object,
  kindOf?: KindOf,
): Promise<Measurement> {
  const open = async (baseUrl: string, reported: () => void) => {
    const stream = await openStream(transcriberOf({ baseUrl, apiKey: 'none' }), model, reported);
    const say = () => {
      for (let n = 1; n < frames; n++) stream.write(FRAME);
      moments.writtenAtMs = monotonicMs();
      stream.write(FRAME);
    };
    return { say, write: (audio: Uint8Array) => stream.write(audio), close: () => stream.close() };
  };
  return measureSocket(open, message, kindOf);
}

function measureBareSocket(): Promise<Measurement> {
  const open = async (baseUrl: string, reported: () => void) => {
    const socket = new WebSocket(baseUrl.replace('http', 'ws'), { perMessageDeflate: false });
    socket.on('message', reported);
    await once(socket, 'open');
    const say = () => {
      moments.writtenAtMs = monotonicMs();
      socket.send(FRAME);
    };
    return { say, write: (audio: Uint8Array) => socket.send(audio), close: () => socket.terminate() };
  };
  return measureSocket(open, () => ({ text: TEXT }));
}

async function measureUtterances(): Promise<Measurement> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      moments.heardAtMs = monotonicMs();
      setImmediate(() => {
        moments.wordsAtMs = monotonicMs();
        response.end(JSON.stringify({ text: TEXT }));
      });
    });
  });
  const baseUrl = `${await listenOnLoopback(server)}/v1`;
  const transcriber = createUtteranceTranscriber({ provider: 'openai-compatible', baseUrl, apiKey: 'none' });
  let heard: () => void = () => undefined;
  const stream = await openStream(transcriber, undefined, () => {
    moments.reportedAtMs = monotonicMs();
    heard();
  });
  const figures = await measure(stream, async () => {
    const reported = new Promise<void>((resolve) => {
      heard = resolve;
    });
    stream.write(UTTERANCE);
    moments.writtenAtMs = monotonicMs();
    stream.write(LAST_FRAME);
    await reported;
  });
  stream.close();
  await transcriber.close();
  server.close();
  return figures;
}

const report = new Report('transcribers');
const details: Record<string, object> = {};

function add(transcriber: string, { minuteCpuMs, toServerMs, toReportedMs }: Measurement): void {
  const [toServer, toReported] = [percentilesOf(toServerMs), percentilesOf(toReportedMs)];
  const shown = (ms: number) => ms.toFixed(3);
  report.add({
    transcriber,
    'audio → server p50 (ms)': shown(toServer.p50),
    'p99 (ms)': shown(toServer.p99),
    'words → event p50 (ms)': shown(toReported.p50),
    'p99 (ms) ': shown(toReported.p99),
    'CPU a call-minute (ms)': minuteCpuMs.toFixed(0),
  });
  details[transcriber] = { toServer, toReported, minuteCpuMs };
}

let commits = 0;
const span = (nth: number) => ({ startMs: nth * 80, endMs: nth * 80 + 80 });
add('bare WebSocket', await measureBareSocket());
add(
  'deepgram nova',
  await measureStreamed(createDeepgramTranscriber, 'nova-3', 1, (nth) =>
    results(TEXT, { ...span(nth), isFinal: true }),
  ),
);
const turn = (nth: number) => turnInfo('EndOfTurn', TEXT, { ...span(nth), turn: nth, timed: true });
add('deepgram flux', await measureStreamed(createDeepgramTranscriber, 'flux-general-en', 4, turn));
add(
  'openai realtime',
  await measureStreamed(
    (access) => createRealtimeTranscriber({ ...access, provider: 'openai' }),
    'gpt-live-transcribe',
    5,
    (nth) => ({
      type: 'conversation.item.input_audio_transcription.delta',
      event_id: `event_${nth}`,
      item_id: `item_${nth}`,
      content_index: 0,
      delta: TEXT,
    }),
    (data) => {
      if (data.includes('input_audio_buffer.append')) return 'audio';
      if (!data.includes('input_audio_buffer.commit')) return 'other';
      const item = { event_id: `event_c${commits}`, item_id: `item_c${commits++}` };
      const completed = { ...item, content_index: 0, transcript: '' };
      return {
        answers: [
          { ...item, type: 'input_audio_buffer.committed', previous_item_id: null },
          { ...completed, type: 'conversation.item.input_audio_transcription.completed' },
        ],
      };
    },
  ),
);
add(
  'elevenlabs scribe',
  await measureStreamed(
    createScribeTranscriber,
    'scribe_v2_realtime',
    5,
    (nth) => ({ message_type: 'partial_transcript', text: `${TEXT} ${nth}` }),
    (data) =>
      data.includes('"commit":true') ? { answers: [{ message_type: 'committed_transcript', text: '' }] } : 'audio',
  ),
);
add('openai-compatible (HTTP)', await measureUtterances());
report.note(`${SEGMENTS} segments each, one after another, after ${WARM_UP_SEGMENTS} that are not counted.`);
report.note(
  'flux, realtime and scribe: from the last of the four or five frames of a piece. openai-compatible: 0.9 s of speech, as a WAV.',
);
report.note(
  'CPU: of both ends, for a caller who speaks half of the minute. Only openai-compatible also returns words.',
);
await report.finish(details);
