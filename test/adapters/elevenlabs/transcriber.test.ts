import { AudioFormat, CommitStrategy, ElevenLabsClient, RealtimeEvents } from '@elevenlabs/elevenlabs-js';
import { afterEach, describe, expect, it } from 'vitest';
import { createScribeTranscriber } from '../../../adapters/elevenlabs/transcriber.ts';
import type { TranscriberEvent, TranscriberOptions } from '../../../engine/ports/transcriber.ts';
import {
  type ScribeEmulator,
  type ScribeEmulatorOptions,
  startScribeEmulator,
} from '../../providers/elevenlabs/scribe-emulator.ts';
import { committingTranscriberContract, FORMATS, silence, voice } from '../contract/committing-transcriber.ts';
import { EventLog, settle, waitFor } from '../contract/event-log.ts';
import { DEADLINES } from '../contract/transcriber-timing.ts';

const MULAW = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;

committingTranscriberContract('elevenlabs scribe', {
  start: startScribeEmulator,
  createTranscriber: createScribeTranscriber,
});

describe('elevenlabs transcriber', () => {
  let emulator: ScribeEmulator | undefined;

  afterEach(() => emulator?.close());

  async function open(emulatorOptions: ScribeEmulatorOptions = {}, options: Partial<TranscriberOptions> = {}) {
    const server = await startScribeEmulator(emulatorOptions);
    emulator = server;
    const log = new EventLog<TranscriberEvent>();
    const streamOptions = { provider: 'elevenlabs', language: 'pt-BR', vocabulary: [], format: MULAW, ...options };
    const stream = log.call(() => createScribeTranscriber(server, DEADLINES).open(streamOptions, log.emit));
    const writeUtterance = (ms: number) => {
      log.call(() => stream.write(voice(streamOptions.format, ms)));
      log.call(() => stream.write(silence(streamOptions.format, 400)));
    };
    return { server, stream, log, writeUtterance };
  }

  it.each(FORMATS)('sends mu-law and PCM unchanged, and A-law as PCM: $encoding', async (format) => {
    const { server, log, stream, writeUtterance } = await open({ hear: () => ({ final: () => 'Yes.' }) }, { format });
    await log.until('ready');
    writeUtterance(500);
    await log.until('final');
    const [session] = server.sockets;
    expect([...(session?.query ?? [])]).toEqual([
      ['model_id', 'scribe_v2_realtime'],
      ['audio_format', { mulaw: 'ulaw_8000', alaw: 'pcm_8000', linear16: 'pcm_16000' }[format.encoding]],
      ['language_code', 'pt'],
      ['commit_strategy', 'manual'],
    ]);
    const heard = Buffer.concat([...(session?.audio ?? [])]);
    const sent = Buffer.concat([voice(format, 500), silence(format, 400)]);
    if (format.encoding !== 'alaw') expect(heard.equals(sent.subarray(0, heard.length))).toBe(true);
    expect(session?.audioMs).toBeGreaterThanOrEqual(800);
    stream.close();
  });

  it('sends the audio from before the socket was open, at most one second per message', async () => {
    const { server, log, stream } = await open({ openMs: 30 });
    const beforeOpen = voice(MULAW, 4_500);
    const afterOpen = voice(MULAW, 8_000);
    log.call(() => stream.write(beforeOpen));
    await log.until('ready');
    log.call(() => stream.write(afterOpen));
    await waitFor(() => expect(server.sockets[0]?.audioMs).toBe(12_500));
    const messages = server.sockets[0]?.audio ?? [];
    expect(Buffer.concat([...messages]).equals(Buffer.concat([beforeOpen, afterOpen]))).toBe(true);
    expect(Math.max(...messages.map(({ length }) => length))).toBe(8_000);
    stream.close();
  });

  it('sends keyterms within the provider’s bounds', async () => {
    const vocabulary = ['a'.repeat(21), ...Array.from({ length: 60 }, (_, n) => `word ${n}`)];
    const { server, log, stream } = await open({}, { vocabulary });
    await log.until('ready');
    const keyterms = server.sockets[0]?.query.getAll('keyterms');
    expect(keyterms).toHaveLength(50);
    expect(keyterms?.[0]).toBe('word 0');
    stream.close();
  });

  it('emits finals in order, each with the times of its speech, and none without words', async () => {
    const { log, writeUtterance, stream } = await open({
      hear: () => ({ final: (nth) => ['', 'One.', 'Two.'][nth] ?? '' }),
    });
    await log.until('ready');
    for (const ms of [300, 500, 700]) writeUtterance(ms);
    await log.until('final', 2);
    expect(log.events.filter(({ type }) => type === 'final')).toMatchObject([
      { text: 'One.', startMs: 700, endMs: 1_200 },
      { text: 'Two.', startMs: 1_600, endMs: 2_300 },
    ]);
    stream.close();
  });

  it('a refused commit of too little audio is not a failure and does not shift the next final', async () => {
    const { log, stream, writeUtterance } = await open({ hear: () => ({ final: () => 'Yes.' }) });
    await log.until('ready');
    log.call(() => stream.write(voice(MULAW, 200)));
    log.call(() => stream.finalize());
    log.call(() => stream.write(silence(MULAW, 600)));
    writeUtterance(500);
    await log.until('final');
    await settle();
    const finals = log.events.filter(({ type }) => type === 'final' || type === 'failed');
    expect(finals).toMatchObject([{ text: 'Yes.', startMs: 800, endMs: 1_300 }]);
    stream.close();
  });

  it('emits a final that the provider commits on its own, if interim words preceded it', async () => {
    const committed = JSON.stringify({ message_type: 'committed_transcript', text: 'A very long story' });
    const steps = [
      { audioMs: 200, action: { type: 'words', text: 'A very long' } },
      { audioMs: 300, action: { type: 'send_raw', text: committed } },
      { audioMs: 400, action: { type: 'send_raw', text: committed } },
    ] as const;
    const { log, stream } = await open({ hear: () => ({ steps }) });
    await log.until('ready');
    for (let n = 0; n < 25; n++) log.call(() => stream.write(voice(MULAW, 20)));
    await log.until('final');
    await settle();
    expect(log.events.filter(({ type }) => type === 'final')).toMatchObject([
      { text: 'A very long story', startMs: 0 },
    ]);
    stream.close();
  });

  it.each([
    ['auth_error', 'unauthorized', false],
    ['unaccepted_terms', 'unauthorized', false],
    ['quota_exceeded', 'rate_limited', false],
    ['rate_limited', 'rate_limited', true],
    ['resource_exhausted', 'unavailable', true],
    ['queue_overflow', 'unavailable', true],
    ['transcriber_error', 'unavailable', true],
    ['error', 'unavailable', true],
    ['session_time_limit_exceeded', 'closed', true],
    ['insufficient_audio_activity', 'closed', true],
    ['input_error', 'bad_request', false],
    ['invalid_request', 'bad_request', false],
    ['chunk_size_exceeded', 'bad_request', false],
  ])('%s ends the stream as %s', async (kind, code, retryable) => {
    const text = JSON.stringify({ message_type: kind, error: 'emulatorOptions-elevenlabs-key' });
    const { log, stream } = await open({
      hear: () => ({ steps: [{ audioMs: 100, action: { type: 'send_raw', text } }] }),
    });
    log.call(() => stream.write(silence(MULAW, 200)));
    await log.until('failed');
    expect(log.events.at(-1)).toMatchObject({ error: { code, retryable } });
    expect(JSON.stringify(log.events)).not.toContain('emulatorOptions-elevenlabs-key');
  });

  it.each(['{}', '[]', 'null', '{"message_type":"partial_transcript"}', 'text'])(
    'reports a malformed message: %s',
    async (text) => {
      const { log, stream } = await open({
        hear: () => ({ steps: [{ audioMs: 100, action: { type: 'send_raw', text } }] }),
      });
      log.call(() => stream.write(silence(MULAW, 200)));
      await log.until('failed');
      expect(log.events.at(-1)).toMatchObject({ error: { code: 'malformed' } });
    },
  );
});

describe('the ElevenLabs transcription emulator serves the official SDK', () => {
  it('runs a session with manual commits: audio, interim words and finals', async () => {
    const steps = [{ audioMs: 400, action: { type: 'words', text: 'Two' } }] as const;
    const emulator = await startScribeEmulator({ hear: () => ({ steps, final: () => 'Two people.' }) });
    const client = new ElevenLabsClient({ apiKey: emulator.apiKey, baseUrl: emulator.baseUrl });
    const connection = await client.speechToText.realtime.connect({
      modelId: 'scribe_v2_realtime',
      audioFormat: AudioFormat.ULAW_8000,
      sampleRate: 8_000,
      commitStrategy: CommitStrategy.MANUAL,
      languageCode: 'en',
      keyterms: ['Trunkline'],
    });
    const sdkEvents: string[] = [];
    connection.on(RealtimeEvents.SESSION_STARTED, () => sdkEvents.push('started'));
    connection.on(RealtimeEvents.PARTIAL_TRANSCRIPT, ({ text }) => sdkEvents.push(`partial ${text}`));
    connection.on(RealtimeEvents.COMMITTED_TRANSCRIPT, ({ text }) => sdkEvents.push(`committed ${text}`));
    connection.on(RealtimeEvents.COMMIT_THROTTLED, () => sdkEvents.push('throttled'));
    connection.on(RealtimeEvents.ERROR, () => undefined);
    await waitFor(() => expect(sdkEvents).toEqual(['started']));
    connection.send({ audioBase64: Buffer.alloc(3_200).toString('base64') });
    connection.commit();
    connection.commit();
    await waitFor(() => expect(sdkEvents).toEqual(['started', 'partial Two', 'committed Two people.', 'throttled']));
    connection.close();
    await waitFor(() => expect(emulator.openSockets).toBe(0));
    await emulator.close();
  });
});
