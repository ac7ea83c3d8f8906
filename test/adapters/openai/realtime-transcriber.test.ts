import { createConnection } from 'node:net';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { afterEach, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { createRealtimeTranscriber } from '../../../adapters/openai/realtime-transcriber.ts';
import type { TranscriberEvent, TranscriberOptions } from '../../../engine/ports/transcriber.ts';
import {
  type OpenAiRealtimeEmulator,
  type OpenAiRealtimeOptions,
  startOpenAiRealtimeEmulator,
} from '../../providers/openai/realtime-emulator.ts';
import { toneBytes } from '../../providers/speech/tone-speech.ts';
import { committingTranscriberContract, FORMATS, silence, voice } from '../contract/committing-transcriber.ts';
import { EventLog, settle, waitFor } from '../contract/event-log.ts';
import { DEADLINES } from '../contract/transcriber-timing.ts';

/** Delay of the resampler's filter, in input samples. */
const RESAMPLER_LATENCY_SAMPLES = 24;
/** 24 kHz linear16 (48 bytes per ms) in base64. */
const BASE64_BYTES_PER_MS = 64;
const MULAW = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;

committingTranscriberContract('openai realtime', {
  start: startOpenAiRealtimeEmulator,
  createTranscriber: ({ apiKey, baseUrl }, deadlines) =>
    createRealtimeTranscriber({ provider: 'openai', apiKey, baseUrl }, deadlines),
});

describe('openai realtime transcriber', () => {
  let emulator: OpenAiRealtimeEmulator | undefined;

  afterEach(() => emulator?.close());

  async function open(
    emulatorOptions: OpenAiRealtimeOptions = {},
    options: Partial<TranscriberOptions> = {},
    deadlines = DEADLINES,
  ) {
    const server = await startOpenAiRealtimeEmulator(emulatorOptions);
    emulator = server;
    const log = new EventLog<TranscriberEvent>();
    const streamOptions = { provider: 'openai', language: 'pt-BR', vocabulary: [], format: MULAW, ...options };
    const stream = log.call(() =>
      createRealtimeTranscriber({ ...server, provider: 'openai' }, deadlines).open(streamOptions, log.emit),
    );
    const writeUtterance = (ms: number) => {
      log.call(() => stream.write(voice(streamOptions.format, ms)));
      log.call(() => stream.write(silence(streamOptions.format, 400)));
    };
    return { server, stream, log, writeUtterance };
  }

  it('requests the recommended model, the language and the expected words, and no turn detection', async () => {
    const { server, stream } = await open({}, { vocabulary: ['Trunkline', 'São João'] });
    await waitFor(() => expect(server.sockets[0]?.sessions).toHaveLength(1));
    expect(server.sockets[0]?.sessions[0]?.audio.input).toEqual({
      format: { type: 'audio/pcm', rate: 24_000 },
      transcription: { model: 'gpt-live-transcribe', language: 'pt', keywords: ['Trunkline', 'São João'] },
      turn_detection: null,
    });
    stream.close();
  });

  it.each([
    ['gpt-4o-transcribe', { prompt: 'Trunkline, Nguyen' }],
    ['gpt-realtime-whisper', {}],
    ['gpt-4o-transcribe-diarize', {}],
  ])('sends %s the expected words in the form that it supports', async (model, expected) => {
    const { server, stream } = await open({}, { model, vocabulary: ['Trunkline', 'Nguyen'] });
    await waitFor(() => expect(server.sockets[0]?.sessions).toHaveLength(1));
    expect(server.sockets[0]?.sessions[0]?.audio.input.transcription).toEqual({ model, language: 'pt', ...expected });
    stream.close();
  });

  it.each(FORMATS)('sends audio as 24 kHz PCM with the same tone and length: $encoding', async (format) => {
    const { server, log, stream } = await open({ hear: () => ({ final: () => 'Yes.' }) }, { format });
    await log.until('ready');
    stream.write(voice(format, 1_000));
    stream.write(silence(format, 400));
    await log.until('final');
    const received = Buffer.concat([...(server.sockets[0]?.audio ?? [])]);
    expect(received.length / 48).toBeCloseTo(server.sockets[0]?.commitsMs[0] ?? 0, 6);
    const tone = toneBytes('linear16', 24_000, 1_000);
    // The comparison starts after the filter has settled, and is shifted by the filter's delay.
    const lagMs = RESAMPLER_LATENCY_SAMPLES / (format.sampleRateHz / 1_000);
    let [error, power] = [0, 0];
    for (let n = 2_400; n < 20_000; n++) {
      const expected = tone.readInt16LE(n * 2);
      error += (received.readInt16LE((n + Math.round(lagMs * 24)) * 2) - expected) ** 2;
      power += expected ** 2;
    }
    expect(error / power).toBeLessThan(0.001);
    stream.close();
  });

  it('emits finals in the order of the speech, although they complete out of order', async () => {
    const { log, writeUtterance, stream } = await open({
      hear: () => ({ final: (nth) => ['One.', 'Two.'][nth] ?? '' }),
      swaps: true,
    });
    await log.until('ready');
    writeUtterance(300);
    writeUtterance(500);
    await log.until('final', 2);
    expect(log.events.filter(({ type }) => type === 'final')).toMatchObject([
      { text: 'One.', startMs: 0, endMs: 300 },
      { text: 'Two.', startMs: 700, endMs: 1_200 },
    ]);
    stream.close();
  });

  it('interim words before the pause start with the speech, and belong to the next item', async () => {
    const steps = [
      { audioMs: 900, action: { type: 'words', text: 'Two' } },
      { audioMs: 1_000, action: { type: 'words', text: ' peo' } },
    ] as const;
    const { log, writeUtterance, stream } = await open({ hear: () => ({ steps, final: () => 'Two people.' }) });
    await log.until('ready');
    log.call(() => stream.write(silence(MULAW, 600)));
    writeUtterance(500);
    await log.until('final');
    expect(log.events.slice(1)).toMatchObject([
      { type: 'interim', text: 'Two', startMs: 600 },
      { type: 'interim', text: 'Two peo', startMs: 600 },
      { type: 'final', text: 'Two people.', startMs: 600, endMs: 1_100 },
    ]);
    stream.close();
  });

  it('finalize commits the current speech, even if only the provider detects it, and nothing without speech', async () => {
    const steps = [{ audioMs: 1_500, action: { type: 'words', text: 'psst' } }] as const;
    const { server, log, stream } = await open({ hear: () => ({ steps, final: (nth) => `${nth}` }) });
    await log.until('ready');
    log.call(() => stream.finalize());
    log.call(() => stream.write(voice(MULAW, 500)));
    log.call(() => stream.finalize());
    await log.until('final');
    expect(server.sockets[0]?.commitsMs).toEqual([500]);
    log.call(() => stream.write(silence(MULAW, 1_500)));
    await log.until('interim');
    log.call(() => stream.finalize());
    await log.until('final', 2);
    expect(server.sockets[0]?.commitsMs).toEqual([500, 2_000]);
    stream.close();
  });

  it('commits speech from before the connection was open once it opens', async () => {
    const { server, log, writeUtterance, stream } = await open({ openMs: 50, hear: () => ({ final: () => 'Hello.' }) });
    writeUtterance(300);
    writeUtterance(300);
    await log.until('final');
    await settle();
    expect(log.types()).toEqual(['ready', 'final']);
    expect(server.sockets[0]?.commitsMs).toEqual([1_400]);
    expect(log.events.at(-1)).toMatchObject({ startMs: 0, endMs: 1_000 });
    stream.close();
  });

  it('ends the utterance once when the peer suppresses silence and its packets stop', async () => {
    const deadlines = { ...DEADLINES, pauseMs: 40 };
    const { server, log, stream } = await open({ hear: () => ({ final: (nth) => `${nth}` }) }, {}, deadlines);
    await log.until('ready');
    log.call(() => stream.write(voice(MULAW, 500)));
    await log.until('final');
    await waitFor(() => expect(server.sockets[0]?.audioMs).toBeGreaterThan(700));
    log.call(() => stream.write(voice(MULAW, 300)));
    await log.until('final', 2);
    expect(log.events.filter(({ type }) => type === 'final')).toMatchObject([
      { text: '0', startMs: 0, endMs: 500 },
      { text: '1', startMs: 500, endMs: 800 },
    ]);
    expect(server.sockets[0]?.commitsMs).toHaveLength(2);
    stream.close();
  });

  it('a refused commit of too little audio is not a failure', async () => {
    const { log, stream } = await open({ hear: () => ({ final: () => 'Yes.' }) });
    await log.until('ready');
    log.call(() => stream.write(voice(MULAW, 90)));
    log.call(() => stream.finalize());
    log.call(() => stream.write(voice(MULAW, 300)));
    log.call(() => stream.write(silence(MULAW, 400)));
    await log.until('final');
    expect(log.events.filter(({ type }) => type === 'final' || type === 'failed')).toMatchObject([{ text: 'Yes.' }]);
    stream.close();
  });

  it('fails only above the bound of unsent audio, which counts base64 at 24 kHz', async () => {
    const { log, stream } = await open();
    await log.until('ready');
    const writtenMs = 8_000;
    const unsent = vi.spyOn(WebSocket.prototype, 'bufferedAmount', 'get');
    try {
      log.call(() => stream.write(silence(MULAW, writtenMs)));
      unsent.mockReturnValue(writtenMs * BASE64_BYTES_PER_MS);
      log.call(() => stream.write(silence(MULAW, 100)));
      await settle();
      expect(log.types()).toEqual(['ready']);
      unsent.mockReturnValue(2 * writtenMs * BASE64_BYTES_PER_MS);
      log.call(() => stream.write(silence(MULAW, 100)));
      await log.until('failed');
      expect(log.events.at(-1)).toMatchObject({ error: { code: 'timeout', retryable: true } });
    } finally {
      unsent.mockRestore();
    }
  });

  it('fails if a transcript does not arrive within ten seconds of audio', async () => {
    const { log, writeUtterance } = await open(
      { hear: () => ({ final: () => null }) },
      {},
      { ...DEADLINES, careMs: 20 },
    );
    await log.until('ready');
    writeUtterance(300);
    for (let second = 0; second < 11; second++) writeUtterance(600);
    await log.until('failed');
    expect(log.events.at(-1)).toMatchObject({ error: { code: 'timeout', retryable: true } });
  });

  const errorMessage = (code: string, type = 'server_error') =>
    JSON.stringify({
      type: 'error',
      event_id: 'e',
      error: { code, type, message: 'emulatorOptions-openai-realtime-key' },
    });
  it.each([
    [errorMessage('invalid_api_key', 'invalid_request_error'), { code: 'unauthorized', retryable: false }],
    [errorMessage('insufficient_quota'), { code: 'rate_limited', retryable: false }],
    [errorMessage('rate_limit_exceeded'), { code: 'rate_limited', retryable: true }],
    [errorMessage('session_expired', 'invalid_request_error'), { code: 'closed', retryable: true }],
    [errorMessage('model_not_found', 'invalid_request_error'), { code: 'bad_request', retryable: false }],
    [errorMessage('anything'), { code: 'unavailable', retryable: true }],
    [
      JSON.stringify({
        type: 'conversation.item.input_audio_transcription.failed',
        item_id: 'item_0',
        error: { type: 'transcription_error', code: 'audio_unintelligible' },
      }),
      { code: 'unavailable', retryable: true },
    ],
    ['{}', { code: 'malformed' }],
    ['[]', { code: 'malformed' }],
    ['{"type":"conversation.item.input_audio_transcription.completed"}', { code: 'malformed' }],
  ])('an error during the stream ends it: %#', async (text, error) => {
    const { log, stream } = await open({
      hear: () => ({ steps: [{ audioMs: 100, action: { type: 'send_raw', text } }] }),
    });
    log.call(() => stream.write(silence(MULAW, 200)));
    await log.until('failed');
    expect(log.events.at(-1)).toMatchObject({ error });
    expect(JSON.stringify(log.events)).not.toContain('emulatorOptions-openai-realtime-key');
  });
});

describe('the OpenAI realtime emulator serves the official SDK', () => {
  it('runs a transcription session: settings, audio, a commit, and words that become final', async () => {
    const steps = [{ audioMs: 100, action: { type: 'words', text: 'Two' } }] as const;
    const emulator = await startOpenAiRealtimeEmulator({ hear: () => ({ steps, final: () => 'Two people.' }) });
    const client = new OpenAI({ apiKey: emulator.apiKey, baseURL: emulator.baseUrl, maxRetries: 0 });
    // The SDK always uses TLS, which the emulator does not support.
    const { hostname, port } = new URL(emulator.baseUrl);
    const options = { createConnection: () => createConnection({ host: hostname, port: Number(port) }) };
    const socket = new OpenAIRealtimeWS({ intent: 'transcription', options }, client);
    const sdkEvents: string[] = [];
    const errors: unknown[] = [];
    socket.on('error', (error) => errors.push(error));
    socket.on('event', (event) => {
      const words = 'delta' in event ? event.delta : 'transcript' in event ? event.transcript : '';
      sdkEvents.push(`${event.type} ${words}`.trim());
    });
    await waitFor(() => expect(sdkEvents).toEqual(['session.created']));
    socket.send({
      type: 'session.update',
      session: {
        type: 'transcription',
        audio: {
          input: {
            format: { type: 'audio/pcm', rate: 24_000 },
            transcription: { model: 'gpt-live-transcribe' },
            turn_detection: null,
          },
        },
      },
    });
    socket.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(9_600).toString('base64') });
    socket.send({ type: 'input_audio_buffer.commit' });
    await waitFor(() =>
      expect(sdkEvents).toEqual([
        'session.created',
        'session.updated',
        'conversation.item.input_audio_transcription.delta Two',
        'input_audio_buffer.committed',
        'conversation.item.input_audio_transcription.completed Two people.',
      ]),
    );
    expect(errors).toEqual([]);
    socket.send({ type: 'input_audio_buffer.commit' });
    await waitFor(() => expect(errors).toHaveLength(1));
    socket.close();
    await emulator.close();
  });
});
