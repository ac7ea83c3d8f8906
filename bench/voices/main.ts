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
 * The delay that a voice's adapter adds to its provider: from `speak` until the server has read the request, and from the
 * write of the first audio at the server until the `audio` event. Server and adapter share one process and one event loop,
 * so the results include the kernel's loopback and both ends' reading. The first row is a bare socket between the two.
 * espeak has no server: its speed and CPU are measured if it is installed.
 *
 *     node bench/voices/main.ts [--segments 2000]
 */
const { values } = parseArgs({ options: { segments: { type: 'string', default: '2000' } } });
const SEGMENTS = Number(values.segments);
/** Until the code is compiled. */
const WARM_UP_SEGMENTS = 300;
const TEXT = 'Your table for two people is booked, see you tomorrow evening.';
/** Half a second of mu-law, sent in one message. */
const AUDIO = Buffer.alloc(4_000, 0x55);
const SEGMENTS_PER_MINUTE = 120;
/** Fewer segments for espeak, which synthesises its audio on this machine. */
const ESPEAK_SEGMENTS = Math.ceil(SEGMENTS / 10);
const AUDIO_BASE64 = AUDIO.toString('base64');
const FORMAT = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;

/** For the current segment: when the server had read its request, and when it wrote its audio. */
const moments = { requestReadAtMs: 0, audioAtMs: 0 };

interface Protocol {
  /** The context whose request this message completes; undefined: more messages follow. */
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
      moments.requestReadAtMs = monotonicMs();
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
  /** CPU per segment, ms, the server's share included. */
  cpuMs: number;
}

/** `speakSegment` resolves at the end of a segment, with the time of its first `audio` event. */
async function measure(speakSegment: (nth: number) => Promise<number>): Promise<Measurement> {
  const figures: Measurement = { toSocketMs: [], toPcmMs: [], cpuMs: 0 };
  let cpu = cpuMeter();
  for (let nth = 0; nth < WARM_UP_SEGMENTS + SEGMENTS; nth++) {
    const requestedAtMs = monotonicMs();
    const reportedAtMs = await speakSegment(nth);
    if (nth === WARM_UP_SEGMENTS - 1) cpu = cpuMeter();
    if (nth < WARM_UP_SEGMENTS) continue;
    figures.toSocketMs.push(moments.requestReadAtMs - requestedAtMs);
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
  const request = JSON.stringify({ type: 'Speak', text: TEXT });
  const figures = await measure(async () => {
    socket.send(request);
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
      moments.requestReadAtMs = monotonicMs();
      response.writeHead(200, { 'content-type': 'audio/pcm' }).flushHeaders();
      setImmediate(() => {
        moments.audioAtMs = monotonicMs();
        response.end(AUDIO);
      });
    });
  });
  const baseUrl = `${await listenOnLoopback(server)}/v1`;
  const voice = createOpenAiVoice({
    provider: 'openai',
    baseUrl,
    apiKey: 'none',
    normalisesText: false,
    model: 'tts-1',
  });
  const figures = await measureVoice(voice, 'openai');
  await voice.close();
  server.close();
  return figures;
}

/** Measures one voice over WebSockets. Aura allows twenty flushes per minute on a socket, then the adapter changes the socket. */
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
    'CPU a minute of speech (ms)': (cpuMs * SEGMENTS_PER_MINUTE).toFixed(0),
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
    `espeak: ${ESPEAK_SEGMENTS} segments of ${seconds} s, one process each; CPU of this process and of those.`,
  );
}

add('bare WebSocket', await measureBareSocket());
add('elevenlabs', await measureSocketVoice(PROTOCOLS.elevenlabs, createElevenLabsVoice, 'elevenlabs'));
add('cartesia', await measureSocketVoice(PROTOCOLS.cartesia, createCartesiaVoice, 'cartesia'));
add('deepgram flux', await measureSocketVoice(PROTOCOLS.flux, createDeepgramVoice, 'flux-haley-en'));
add('deepgram aura', await measureSocketVoice(PROTOCOLS.aura, createDeepgramVoice, 'aura-2-thalia-en'));
add('openai (HTTP)', await measureOpenAi());
const espeak = await measureEspeak(TEXT, ESPEAK_SEGMENTS);
if ('code' in espeak) report.note(`espeak was not measured: ${espeak.message}.`);
else addEspeak(espeak);
report.note(
  'CPU: of both ends, for a minute of speech without a pause, half a second per segment: the maximum of a call-minute.',
);
report.note(`${SEGMENTS} segments each, one after another, after ${WARM_UP_SEGMENTS} that are not counted.`);
report.note(
  'deepgram aura changes its socket after every twenty segments, the limit of the provider: its p99 includes the dial.',
);
await report.finish(details);
