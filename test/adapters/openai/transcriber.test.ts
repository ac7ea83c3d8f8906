import { afterEach, describe, expect, it } from 'vitest';
import { createUtteranceTranscriber } from '../../../adapters/openai/transcriber.ts';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { TranscriberEvent, TranscriberOptions } from '../../../engine/ports/transcriber.ts';
import {
  type OpenAiTranscriptionEmulator,
  startOpenAiTranscriptionEmulator,
  type TranscriptionAnswer,
} from '../../providers/openai/transcription-emulator.ts';
import { toneBytes } from '../../providers/speech/tone-speech.ts';
import { EventLog, settle, waitFor } from '../contract/event-log.ts';
import { STREAM_FAILURES } from '../contract/failure.ts';
import { SLOW_MS } from '../contract/slow-provider.ts';
import { type TranscriberScenario, transcriberContract } from '../contract/transcriber.ts';

const MULAW: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8_000 };
const ALAW: AudioFormat = { encoding: 'alaw', sampleRateHz: 8_000 };
const WIDEBAND: AudioFormat = { encoding: 'linear16', sampleRateHz: 16_000 };
const SILENT_BYTE = { mulaw: 0xff, alaw: 0xd5, linear16: 0 } as const;
const TEXT = 'I would like a table.';
const DEADLINES = { answerMs: 10_000, pauseMs: 10_000 };

function silence({ encoding, sampleRateHz }: AudioFormat, ms: number): Buffer {
  return Buffer.alloc((sampleRateHz / 1000) * ms * (encoding === 'linear16' ? 2 : 1), SILENT_BYTE[encoding]);
}

function voice({ encoding, sampleRateHz }: AudioFormat, ms: number): Buffer {
  return toneBytes(encoding, sampleRateHz, ms);
}

function answerOf(scenario: TranscriberScenario): TranscriptionAnswer {
  switch (scenario) {
    case 'unauthorized':
      return { type: 'refusal', status: 401 };
    case 'rate_limited':
      return { type: 'refusal', status: 429, headers: { 'Retry-After': '7' } };
    case 'server_error':
      return { type: 'refusal', status: 500 };
    case 'no_answer':
      return { type: 'silence' };
    case 'stalled':
      return { type: 'stall' };
    case 'closed':
    case 'reset':
    case 'half_frame':
      return { type: 'cut' };
    case 'malformed':
      return { type: 'raw', body: '{"text":' };
    default:
      return { type: 'text', text: ` ${TEXT}\n`, delayMs: scenario === 'slow' ? SLOW_MS : 0 };
  }
}

for (const format of [MULAW, ALAW, WIDEBAND]) {
  transcriberContract(
    `openai-compatible (${format.encoding})`,
    async (scenario) => {
      const emulator = await startOpenAiTranscriptionEmulator(() => answerOf(scenario));
      if (scenario === 'refused_connection') await emulator.close();
      const isLate = scenario === 'no_answer' || scenario === 'stalled';
      const access = { provider: 'openai-compatible', apiKey: emulator.apiKey, baseUrl: emulator.baseUrl };
      const transcriber = createUtteranceTranscriber(access, { ...DEADLINES, answerMs: isLate ? 150 : 10_000 });
      return {
        transcriber,
        format,
        secret: emulator.apiKey,
        requestCount: () => emulator.requests.length,
        openSockets: () => emulator.activeRequests,
        close: async () => {
          await transcriber.close();
          if (scenario !== 'refused_connection') await emulator.close();
        },
      };
    },
    {
      failures: STREAM_FAILURES,
      audioMs: 1_000,
      frameAt: (ms) => (ms >= 100 && ms < 400 ? voice(format, 20) : silence(format, 20)),
      events: [{ type: 'final', text: TEXT, words: [], startMs: 100, endMs: 400 }],
    },
  );
}

describe('openai-compatible transcriber', () => {
  let emulator: OpenAiTranscriptionEmulator | undefined;
  let transcriber: ReturnType<typeof createUtteranceTranscriber> | undefined;

  afterEach(async () => {
    await transcriber?.close();
    await emulator?.close();
  });

  async function open({
    hold = false,
    pauseMs = DEADLINES.pauseMs,
    answer = (nth: number): TranscriptionAnswer => ({ type: 'text', text: `${nth}` }),
    ...options
  }: Partial<TranscriberOptions> & {
    hold?: boolean;
    pauseMs?: number;
    answer?: (nth: number) => TranscriptionAnswer;
  } = {}) {
    const server = await startOpenAiTranscriptionEmulator((_body, nth) => answer(nth), hold);
    emulator = server;
    transcriber = createUtteranceTranscriber({ ...server, provider: 'openai-compatible' }, { ...DEADLINES, pauseMs });
    const log = new EventLog<TranscriberEvent>();
    const streamOptions = {
      provider: 'openai-compatible',
      language: 'pt-BR',
      vocabulary: [],
      format: MULAW,
      ...options,
    };
    const stream = transcriber.open(streamOptions, log.emit);
    const writeUtterance = (ms: number) => {
      log.call(() => stream.write(voice(streamOptions.format, ms)));
      log.call(() => stream.write(silence(streamOptions.format, 400)));
    };
    return { server, stream, log, writeUtterance };
  }

  it('sends the utterance with padding, the language, the model and the expected words', async () => {
    const { server, log, writeUtterance, stream } = await open({
      model: 'large-v3',
      vocabulary: ['Trunkline', 'São João'],
    });
    log.call(() => stream.write(silence(MULAW, 1_000)));
    writeUtterance(500);
    await log.until('final');
    expect(server.requests).toEqual([
      { model: 'large-v3', language: 'pt', prompt: 'Trunkline, São João', sampleRateHz: 8_000, durationMs: 1_040 },
    ]);
    expect(log.events.at(-1)).toMatchObject({ startMs: 1_000, endMs: 1_500 });
    stream.close();
  });

  it('requests whisper-1 without a prompt by default', async () => {
    const { server, log, writeUtterance, stream } = await open();
    writeUtterance(500);
    await log.until('final');
    expect(server.requests).toMatchObject([{ model: 'whisper-1', prompt: null }]);
    stream.close();
  });

  it('sends nothing for silence', async () => {
    const { server, log, stream } = await open();
    for (let second = 0; second < 60; second++) stream.write(silence(MULAW, 1_000));
    await settle();
    expect(server.requests).toEqual([]);
    expect(log.types()).toEqual(['ready']);
    stream.close();
  });

  it('sends one request at a time, and emits finals in order', async () => {
    const { server, log, writeUtterance, stream } = await open({ hold: true });
    for (let n = 0; n < 3; n++) writeUtterance(300);
    for (let n = 1; n <= 3; n++) {
      await waitFor(() => expect(server.requests).toHaveLength(n));
      server.release();
      await log.until('final', n);
    }
    expect(server.requestsAtOnceMax).toBe(1);
    expect(log.events.flatMap((event) => (event.type === 'final' ? event.text : []))).toEqual(['0', '1', '2']);
    stream.close();
  });

  it('fails instead of queueing without bound when the server falls behind', async () => {
    const { log, writeUtterance } = await open({ hold: true });
    for (let n = 0; n < 6; n++) writeUtterance(300);
    await log.until('failed');
    expect(log.events.at(-1)).toMatchObject({ error: { code: 'timeout', retryable: true } });
    await waitFor(() => expect(emulator?.activeRequests).toBe(0));
  });

  it('cuts speech without a pause at 30 s, and loses no sample', async () => {
    const { server, log, stream } = await open();
    for (let second = 0; second < 45; second++) stream.write(voice(MULAW, 1_000));
    stream.write(silence(MULAW, 400));
    await log.until('final', 2);
    expect(server.requests.map(({ durationMs }) => durationMs)).toEqual([30_000, 15_300]);
    expect(log.events.filter(({ type }) => type === 'final')).toMatchObject([
      { startMs: 0, endMs: 30_000 },
      { startMs: 30_000, endMs: 45_000 },
    ]);
    stream.close();
  });

  it('finalize sends the current utterance at once, and nothing without speech', async () => {
    const { server, log, stream } = await open();
    log.call(() => stream.finalize());
    log.call(() => stream.write(voice(MULAW, 500)));
    log.call(() => stream.finalize());
    await log.until('final');
    expect(server.requests).toMatchObject([{ durationMs: 500 }]);
    log.call(() => stream.write(silence(MULAW, 1_000)));
    await settle();
    expect(server.requests).toHaveLength(1);
    stream.close();
  });

  it('ends the utterance once when the peer suppresses silence and its packets stop', async () => {
    const { server, log, stream } = await open({ pauseMs: 40 });
    log.call(() => stream.write(voice(MULAW, 500)));
    await log.until('final');
    expect(log.events.at(-1)).toMatchObject({ startMs: 0, endMs: 500 });
    log.call(() => stream.write(voice(MULAW, 300)));
    await log.until('final', 2);
    expect(log.events.at(-1)).toMatchObject({ startMs: 500, endMs: 800 });
    expect(server.requests).toHaveLength(2);
    stream.close();
  });

  it('omits finals that contain only sounds, and keeps texts that also contain words', async () => {
    const sounds = [' [BLANK_AUDIO]\n', '(coughing)', '[Music] ♪', '(laughs) Yes [sic].'];
    const { log, writeUtterance, stream } = await open({
      answer: (nth) => ({ type: 'text', text: sounds[nth] ?? '' }),
    });
    for (const _sound of sounds) writeUtterance(300);
    await log.until('final');
    expect(log.events.filter(({ type }) => type === 'final')).toMatchObject([{ text: '(laughs) Yes [sic].' }]);
    stream.close();
  });

  it('emits no final for a response without words', async () => {
    const { log, writeUtterance, stream } = await open({
      answer: (nth) => ({ type: 'text', text: nth === 0 ? ' ' : 'Yes.' }),
    });
    writeUtterance(300);
    writeUtterance(300);
    await log.until('final');
    expect(log.events.filter(({ type }) => type === 'final')).toMatchObject([{ text: 'Yes.', startMs: 700 }]);
    stream.close();
  });

  it.each(['', '[]', '{}', 'null', '{"text":7}', 'I would'])('reports a malformed response: %s', async (body) => {
    const { log, writeUtterance } = await open({ answer: () => ({ type: 'raw', body }) });
    writeUtterance(300);
    await log.until('failed');
    expect(log.events.at(-1)).toMatchObject({ error: { code: 'malformed' } });
  });
});
