import { afterEach, describe, expect, it } from 'vitest';
import { createCartesiaVoice } from '../../../adapters/cartesia/voice.ts';
import type { VoiceEvent, VoiceOptions } from '../../../engine/ports/voice.ts';
import {
  type CartesiaEmulator,
  type CartesiaEmulatorOptions,
  startCartesiaEmulator,
} from '../../providers/cartesia/voice-emulator.ts';
import { EventLog, settle, waitFor } from '../contract/event-log.ts';
import { MULAW, socketVoiceContract, WIDEBAND } from '../contract/socket-voice.ts';
import { WIDE_DEADLINES } from '../contract/voice-responses.ts';

socketVoiceContract('cartesia', {
  start: startCartesiaEmulator,
  createVoice: createCartesiaVoice,
  requestCount: ({ sockets }) => sockets.flatMap(({ generations }) => generations).length,
});

describe('cartesia voice', () => {
  let emulator: CartesiaEmulator | undefined;

  afterEach(async () => {
    await emulator?.close();
    emulator = undefined;
  });

  async function open(options: CartesiaEmulatorOptions = {}, voice: Partial<VoiceOptions> = {}) {
    const started = await startCartesiaEmulator(options);
    emulator = started;
    const log = new EventLog<VoiceEvent>();
    const stream = log.call(() =>
      createCartesiaVoice(started, WIDE_DEADLINES).open(
        { provider: 'cartesia', name: 'voice-id', language: 'en-US', speed: 1, format: MULAW, ...voice },
        log.emit,
      ),
    );
    return { emulator: started, log, stream };
  }

  const wordsOf = (events: readonly VoiceEvent[]) =>
    events.flatMap((event) => (event.type === 'words' ? event.words : []));

  it.each([
    [MULAW, 'pcm_mulaw', 8_000],
    [{ encoding: 'alaw', sampleRateHz: 8_000 }, 'pcm_alaw', 8_000],
    [WIDEBAND, 'pcm_s16le', 16_000],
  ] as const)("speaks in the call's own format: %#", async (format, encoding, rate) => {
    const { emulator, log, stream } = await open({}, { format, speed: 2, model: 'sonic-3.5' });
    stream.speak(0, 'Yes.');
    await log.until('done');
    expect(log.events.find((event) => event.type === 'audio')).toMatchObject({ format });
    expect(emulator.sockets[0]?.generations).toEqual([
      {
        context_id: 'segment-1',
        model_id: 'sonic-3.5',
        transcript: 'Yes.',
        voice: { mode: 'id', id: 'voice-id' },
        language: 'en',
        output_format: { container: 'raw', encoding, sample_rate: rate },
        max_buffer_delay_ms: 0,
        add_timestamps: true,
        use_normalized_timestamps: false,
        generation_config: { speed: 1.5 },
        continue: false,
      },
    ]);
    stream.close();
    await waitFor(() => expect(emulator.openSockets).toBe(0));
  });

  it('emits the words as written, with their times, before the audio ends', async () => {
    const { log, stream } = await open();
    stream.speak(0, 'Good evening, sir.');
    await log.until('done');
    expect(wordsOf(log.events)).toEqual([
      { text: 'Good', startMs: 0, endMs: 240 },
      { text: 'evening,', startMs: 300, endMs: 780 },
      { text: 'sir.', startMs: 840, endMs: 1_080 },
    ]);
    stream.close();
  });

  it('leaves numbers to the provider, removes markup, and applies the dictionary', async () => {
    const { emulator, log, stream } = await open({}, { pronunciations: [{ from: 'Nguyen', to: 'win' }] });
    stream.speak(0, '**Dr. NGUYEN** pays $5 🙂.');
    await log.until('done');
    expect(emulator.sockets[0]?.generations[0]?.transcript).toBe('Dr. win pays $5 .');
    expect(wordsOf(log.events).map((word) => word.text)).toEqual(['**Dr.', 'NGUYEN**', 'pays', '$5']);
    stream.close();
  });

  it('cancels only the active segment at the provider', async () => {
    const { emulator, log, stream } = await open({
      speak: (text) => (text === 'Long.' ? { audio: Buffer.alloc(8_000), chunkBytes: 80, chunkMs: 5 } : {}),
    });
    stream.speak(0, 'Short.');
    await log.until('done');
    stream.speak(1, 'Long.');
    await log.until('audio', 2);
    stream.cancel();
    stream.speak(2, 'Short.');
    await log.until('done', 2);
    expect(emulator.sockets[0]?.cancelled).toEqual(['segment-2']);
    stream.close();
  });

  it.each([
    [401, { code: 'unauthorized', retryable: false }],
    [402, { code: 'bad_request', retryable: false }],
    [429, { code: 'rate_limited', retryable: true }],
    [500, { code: 'unavailable', retryable: true }],
  ])(
    'an error of a context fails its segment with our message, and the socket stays open: %i',
    async (status, expected) => {
      const { emulator, log, stream } = await open({
        refuseText: (text) => (text === 'Not this.' ? status : undefined),
      });
      stream.speak(0, 'Not this.');
      await log.until('failed');
      expect(log.events[0]).toMatchObject({ type: 'failed', error: { ...expected, httpStatus: status } });
      expect(JSON.stringify(log.events)).not.toContain(emulator.apiKey);
      stream.speak(1, 'This.');
      await log.until('done');
      expect(emulator.connections).toBe(1);
      stream.close();
    },
  );

  it('opens another socket after the provider closes an idle one, without a failure', async () => {
    const { emulator, log, stream } = await open();
    stream.speak(0, 'Yes.');
    await log.until('done');
    emulator.closeSockets();
    await waitFor(() => expect(emulator.sockets).toHaveLength(2));
    stream.speak(1, 'No.');
    await log.until('done', 2);
    expect(log.types()).not.toContain('failed');
    stream.close();
  });

  it('a close before the socket is open leaves no socket', async () => {
    const { emulator, log, stream } = await open({ openMs: 20 });
    stream.speak(0, 'Never.');
    stream.close();
    await waitFor(() => expect(emulator.openSockets).toBe(0));
    await settle();
    expect(log.events).toEqual([]);
  });
});
