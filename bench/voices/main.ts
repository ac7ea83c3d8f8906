import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { parseArgs } from 'node:util';
import WebSocket, { WebSocketServer } from 'ws';
import { createCartesiaVoice } from '../../adapters/cartesia/voice.ts';
import { createDeepgramVoice } from '../../adapters/deepgram/voice.ts';
import { createElevenLabsVoice } from '../../adapters/elevenlabs/voice.ts';
import { createOpenAiVoice } from '../../adapters/openai/voice.ts';
import type { Voice, VoiceEvent } from '../../engine/ports/voice.ts';
import { cpuMeter } from '../cpu-meter.ts';
import { listenOnLoopback } from '../listen-on-loopback.ts';
import { monotonicMs } from '../monotonic-clock.ts';
import { percentilesOf } from '../percentiles.ts';
import { Report } from '../report.ts';
import { type EspeakMeasurement, measureEspeak } from './espeak.ts';

/**
 * What a voice's adapter adds to its provider: text handed over → last byte of the order read by the server, and first
 * audio handed to the server's socket → `audio` told. Server and adapter share one process and one loop, so that the
 * kernel's loopback and both ends' reading of it are in the figures; the first row is a bare socket between the same two.
 * Of espeak, which has no server, how fast and at what price it speaks, where the system has it.
 *
 *     node bench/voices/main.ts [--segments 2000]
 */
const { values } = parseArgs({ options: { segments: { type: 'string', default: '2000' } } });
const SEGMENTS = Number(values.segments);
/** Until the code is compiled. */
const WARM_UP_SEGMENTS = 300;
const TEXT = 'Your table for two people is booked, see you tomorrow evening.';
/** Half a second of mu-law, what a provider sends at once. */
const AUDIO = Buffer.alloc(4_000, 0x55);
const SEGMENTS_A_MINUTE = 120;
/** Of espeak, which makes all of its audio here. */
const ESPEAK_SEGMENTS = Math.ceil(SEGMENTS / 10);
const AUDIO_BASE64 = AUDIO.toString('base64');
const FORMAT = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;

/** When the order of the segment being asked for was whole at the server, and when its audio was handed to the socket. */
const moments = { orderedAtMs: 0, audioAtMs: 0 };

interface Protocol {
  /** The context of an order that is now whole; undefined: more of it is to come. */
  completeContext(message: Record<string, unknown>): string | undefined;
  audio(context: string): string | Buffer;
  ends(context: string): readonly object[];
}

const alignment = {
  chars: [...TEXT],
  charStartTimesMs: [...TEXT].map((_, n) => n * 8),
  charDurationsMs: [...TEXT].map(() => 8),
};
const spoken = TEXT.split(' ');
const words = { words: spoken, start: spoken.map((_, n) => n / 10), end: spoken.map((_, n) => (n + 0.9) / 10) };

const PROTOCOLS = {
  elevenlabs: {
    completeContext: (message) => (message.close_context === true ? String(message.context_id) : undefined),
    audio: (contextId) => JSON.stringify({ audio: AUDIO_BASE64, alignment, contextId }),
    ends: (contextId) => [{ isFinal: true, contextId }],
  },
  cartesia: {
    completeContext: (message) => ('transcript' in message ? String(message.context_id) : undefined),
    audio: (context) => JSON.stringify({ type: 'chunk', data: AUDIO_BASE64, context_id: context }),
    ends: (context) => [
      { type: 'timestamps', context_id: context, word_timestamps: words },
      { type: 'done', context_id: context },
    ],
  },
  aura: {
    completeContext: (message) => (message.type === 'Flush' ? '' : undefined),
    audio: () => AUDIO,
    ends: () => [{ type: 'Flushed' }],
  },
  flux: {
    completeContext: (message) => (message.type === 'Flush' ? String(flushes++) : undefined),
    audio: () => AUDIO,
    ends: (id) => [{ type: 'SpeechMetadata', speech_id: id }],
  },
} as const satisfies Record<string, Protocol>;
let flushes = 0;

function serve(server: Server, { completeContext, audio, ends }: Protocol): void {
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => {
      const context = completeContext(JSON.parse(String(data)));
      if (context === undefined) return;
      moments.orderedAtMs = monotonicMs();
      setImmediate(() => {
        const message = audio(context);
        moments.audioAtMs = monotonicMs();
        socket.send(message);
        for (const end of ends(context)) socket.send(JSON.stringify(end));
      });
    });
  });
}

interface Measurement {
  readonly toSocketMs: number[];
  readonly toPcmMs: number[];
  /** Of a segment, the server's share included. */
  cpuMs: number;
}

/** `ask` hands one segment over; it answers when its audio was told, once all of it has. */
async function measure(ask: (nth: number) => Promise<number>): Promise<Measurement> {
  const figures: Measurement = { toSocketMs: [], toPcmMs: [], cpuMs: 0 };
  let cpu = cpuMeter();
  for (let nth = 0; nth < WARM_UP_SEGMENTS + SEGMENTS; nth++) {
    const askedAtMs = monotonicMs();
    const reportedAtMs = await ask(nth);
    if (nth === WARM_UP_SEGMENTS - 1) cpu = cpuMeter();
    if (nth < WARM_UP_SEGMENTS) continue;
    figures.toSocketMs.push(moments.orderedAtMs - askedAtMs);
    figures.toPcmMs.push(reportedAtMs - moments.audioAtMs);
  }
  figures.cpuMs = cpu() / SEGMENTS;
  return figures;
}

async function measureVoice(voice: Voice, name: string): Promise<Measurement> {
  let reportedAtMs = 0;
  let done: (event: VoiceEvent) => void = () => undefined;
  const stream = voice.open({ provider: name, name, language: 'en', speed: 1, format: FORMAT }, (event) => {
    if (event.type === 'audio' && reportedAtMs === 0) reportedAtMs = monotonicMs();
    if (event.type === 'done' || event.type === 'failed') done(event);
  });
  const figures = await measure(async (nth) => {
    reportedAtMs = 0;
    const ended = new Promise<VoiceEvent>((resolve) => {
      done = resolve;
    });
    stream.speak(nth, TEXT);
    const event = await ended;
    if (event.type === 'failed') throw new Error(`${name}: ${event.error.message}`);
    return reportedAtMs;
  });
  stream.close();
  return figures;
}

async function measureBareSocket(): Promise<Measurement> {
  const server = createServer();
  serve(server, { completeContext: () => '', audio: () => AUDIO, ends: () => [] });
  const socket = new WebSocket((await listenOnLoopback(server)).replace('http', 'ws'), { perMessageDeflate: false });
  await once(socket, 'open');
  const order = JSON.stringify({ type: 'Speak', text: TEXT });
  const figures = await measure(async () => {
    socket.send(order);
    await once(socket, 'message');
    return monotonicMs();
  });
  socket.terminate();
  server.close();
  return figures;
}

async function measureOpenAi(): Promise<Measurement> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.method !== 'POST') {
        response.end('{"data":[]}');
        return;
      }
      moments.orderedAtMs = monotonicMs();
      response.writeHead(200, { 'content-type': 'audio/pcm' }).flushHeaders();
      setImmediate(() => {
        moments.audioAtMs = monotonicMs();
        response.end(AUDIO);
      });
    });
  });
  const baseUrl = `${await listenOnLoopback(server)}/v1`;
  const voice = createOpenAiVoice({ provider: 'openai', baseUrl, apiKey: 'none', readsFigures: false, model: 'tts-1' });
  const figures = await measureVoice(voice, 'openai');
  await voice.close();
  server.close();
  return figures;
}

/** The figures of one voice over WebSockets. Aura's flushes are limited to twenty a minute and socket: a new one a batch. */
async function measureSocketVoice(
  protocol: Protocol,
  voiceOf: (access: { baseUrl: string; apiKey: string }) => Voice,
  name: string,
): Promise<Measurement> {
  const server = createServer();
  serve(server, protocol);
  const figures = await measureVoice(voiceOf({ baseUrl: await listenOnLoopback(server), apiKey: 'none' }), name);
  server.close();
  server.closeAllConnections();
  return figures;
}

const report = new Report('voices');
const details: Record<string, object> = {};

function add(voice: string, { cpuMs, toSocketMs, toPcmMs }: Measurement): void {
  const [toSocket, toPcm] = [percentilesOf(toSocketMs), percentilesOf(toPcmMs)];
  const shown = (ms: number) => ms.toFixed(3);
  report.add({
    voice,
    'text → socket p50 (ms)': shown(toSocket.p50),
    'p99 (ms)': shown(toSocket.p99),
    'audio → PCM p50 (ms)': shown(toPcm.p50),
    'p99 (ms) ': shown(toPcm.p99),
    'CPU a minute of speech (ms)': (cpuMs * SEGMENTS_A_MINUTE).toFixed(0),
  });
  details[voice] = { toSocket, toPcm, cpuMs };
}

function addEspeak(figures: EspeakMeasurement): void {
  const { cpuMs, programCpuMs, speechMs } = figures;
  const [firstAudio, factor] = [percentilesOf(figures.firstAudioMs), percentilesOf(figures.realTimeFactors)];
  const aMinute = (ms: number) => ((ms / speechMs) * 60_000).toFixed(0);
  report.add({
    voice: 'espeak',
    'CPU a minute of speech (ms)': aMinute(cpuMs + programCpuMs),
    'of it espeak-ng': aMinute(programCpuMs),
    'first audio p50 (ms)': firstAudio.p50.toFixed(1),
    'real-time factor p50': factor.p50.toFixed(3),
  });
  details.espeak = { firstAudio, factor, cpuMs, programCpuMs, speechMs };
  const seconds = (speechMs / ESPEAK_SEGMENTS / 1_000).toFixed(1);
  report.note(
    `espeak: ${ESPEAK_SEGMENTS} segments of ${seconds} s, a process each; CPU of ours and of those processes.`,
  );
}

add('bare WebSocket', await measureBareSocket());
add('elevenlabs', await measureSocketVoice(PROTOCOLS.elevenlabs, createElevenLabsVoice, 'elevenlabs'));
add('cartesia', await measureSocketVoice(PROTOCOLS.cartesia, createCartesiaVoice, 'cartesia'));
add('deepgram flux', await measureSocketVoice(PROTOCOLS.flux, createDeepgramVoice, 'flux-haley-en'));
add('deepgram aura', await measureSocketVoice(PROTOCOLS.aura, createDeepgramVoice, 'aura-2-thalia-en'));
add('openai (HTTP)', await measureOpenAi());
const espeak = await measureEspeak(TEXT, ESPEAK_SEGMENTS);
if ('code' in espeak) report.note(`espeak is left out: ${espeak.message}.`);
else addEspeak(espeak);
report.note(
  'CPU: of both ends, for a minute in which the agent speaks without a pause, half a second a segment; no call-minute has more.',
);
report.note(`${SEGMENTS} segments each, one after another, ${WARM_UP_SEGMENTS} before them not counted.`);
report.note(
  'deepgram aura changes its socket after each twenty segments, as the provider asks: that dial is in its p99.',
);
await report.finish(details);
