import { afterEach, describe, expect, it } from 'vitest';
import { createElevenLabsVoice } from '../../../adapters/elevenlabs/voice.ts';
import type { VoiceEvent, VoiceOptions } from '../../../engine/ports/voice.ts';
import {
  type ElevenLabsEmulator,
  type ElevenLabsEmulatorOptions,
  startElevenLabsEmulator,
} from '../../providers/elevenlabs/voice-emulator.ts';
import { EMULATED_MS_PER_CHARACTER } from '../../providers/speech/speak-answer.ts';
import { EventLog, settle, waitFor } from '../contract/event-log.ts';
import { MULAW, socketVoiceContract, WIDEBAND } from '../contract/socket-voice.ts';
import { WIDE_DEADLINES } from '../contract/voice-responses.ts';

socketVoiceContract('elevenlabs', {
  start: startElevenLabsEmulator,
  createVoice: createElevenLabsVoice,
  requestCount: ({ sockets }) => sockets.flatMap(({ texts }) => texts).length,
});

describe('elevenlabs voice', () => {
  let emulator: ElevenLabsEmulator | undefined;

  afterEach(async () => {
    await emulator?.close();
    emulator = undefined;
  });

  async function open(options: ElevenLabsEmulatorOptions = {}, voice: Partial<VoiceOptions> = {}) {
    const started = await startElevenLabsEmulator(options);
    emulator = started;
    const log = new EventLog<VoiceEvent>();
    const stream = log.call(() =>
      createElevenLabsVoice(started, WIDE_DEADLINES).open(
        { provider: 'elevenlabs', name: 'a/voice', language: 'en-US', speed: 1, format: MULAW, ...voice },
        log.emit,
      ),
    );
    return { emulator: started, log, stream };
  }

  const wordsOf = (events: readonly VoiceEvent[]) =>
    events.flatMap((event) => (event.type === 'words' ? event.words : []));

  it.each([
    [{}, { model_id: 'eleven_flash_v2_5', output_format: 'ulaw_8000', language_code: 'en', auto_mode: 'true' }],
    [{ format: { encoding: 'alaw', sampleRateHz: 8_000 } }, { output_format: 'alaw_8000' }],
    [
      { format: WIDEBAND, model: 'eleven_multilingual_v2' },
      { output_format: 'pcm_16000', model_id: 'eleven_multilingual_v2' },
    ],
    [{ format: { encoding: 'linear16', sampleRateHz: 48_000 } }, { output_format: 'pcm_24000' }],
  ] as const)(
    'opens its socket in advance, in the call’s format if the provider supports it: %#',
    async (options, query) => {
      const { emulator, stream } = await open({}, options);
      await waitFor(() => expect(emulator.sockets).toHaveLength(1));
      expect(Object.fromEntries(emulator.sockets[0]?.query ?? [])).toMatchObject(query);
      expect(emulator.sockets[0]?.voice).toBe('a/voice');
      stream.close();
      await waitFor(() => expect(emulator.openSockets).toBe(0));
    },
  );

  it('sends each segment as a context, closed at once, with a speed within the provider’s bounds', async () => {
    const { emulator, log, stream } = await open({}, { speed: 2 });
    stream.speak(4, 'Yes.');
    await log.until('done');
    expect(emulator.sockets[0]?.messages).toEqual([
      { text: ' ', context_id: 'segment-1', voice_settings: { speed: 1.2 } },
      { text: 'Yes. ', context_id: 'segment-1', flush: true },
      { context_id: 'segment-1', close_context: true },
    ]);
    stream.close();
    await waitFor(() => expect(emulator.sockets[0]?.messages.at(-1)).toEqual({ close_socket: true }));
  });

  it.each([false, true])('word times continue over the chunks of a segment (snake case: %s)', async (snakeCase) => {
    const text = 'Good evening, sir.';
    const bytes = text.length * EMULATED_MS_PER_CHARACTER * 8;
    const { log, stream } = await open({
      snakeCase,
      // Splits words: five characters a chunk.
      speak: () => ({ audio: Buffer.alloc(bytes), chunkBytes: 5 * EMULATED_MS_PER_CHARACTER * 8 }),
    });
    stream.speak(0, text);
    await log.until('done');
    const ms = (characters: number) => characters * EMULATED_MS_PER_CHARACTER;
    expect(wordsOf(log.events)).toEqual([
      { text: 'Good', startMs: 0, endMs: ms(4) },
      { text: 'evening,', startMs: ms(5), endMs: ms(12) },
      { text: 'sir.', startMs: ms(14), endMs: ms(17) },
    ]);
    stream.close();
  });

  it('sends numbers as words, and emits times of the words as written', async () => {
    const { emulator, log, stream } = await open({ speak: () => ({ chunkBytes: 100_000 }) });
    stream.speak(0, 'It is $5, sir.');
    await log.until('done');
    expect(emulator.sockets[0]?.texts).toEqual(['It is five dollars, sir.']);
    expect(wordsOf(log.events).map((word) => word.text)).toEqual(['It', 'is', '$5,', 'sir.']);
    const ms = (characters: number) => characters * EMULATED_MS_PER_CHARACTER;
    expect(wordsOf(log.events)[2]).toEqual({ text: '$5,', startMs: ms(6), endMs: ms(18) });
    stream.close();
  });

  it('requests the next segment before the current one ends, and never opens more contexts than the provider allows', async () => {
    const { emulator, log, stream } = await open({
      speak: () => ({ audio: Buffer.alloc(800), chunkMs: 2, chunkBytes: 100 }),
    });
    for (let segment = 0; segment < 12; segment++) {
      stream.speak(segment, 'One sentence.');
      if (segment % 3 === 2) stream.cancel();
    }
    stream.speak(12, 'The last.');
    await log.until('done');
    expect(log.events.every((event) => event.segment === 12)).toBe(true);
    expect(emulator.sockets).toHaveLength(1);
    expect(emulator.sockets[0]?.openContextsMax).toBeLessThanOrEqual(4);
    stream.close();
  });

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

  it('ends a text without sound without a request', async () => {
    const { emulator, log, stream } = await open();
    stream.speak(0, 'One.');
    stream.speak(1, '🙂 **');
    stream.speak(2, 'Two.');
    await log.until('done', 3);
    expect(emulator.sockets[0]?.texts).toEqual(['One.', 'Two.']);
    expect(log.events.filter((event) => event.segment === 1).map((event) => event.type)).toEqual(['done']);
    stream.close();
  });

  it('a failure also fails the waiting segments, unless its listener cancels them', async () => {
    const { log, stream } = await open({ refuse: () => ({ status: 500 }) });
    log.onEvent(() => log.call(() => stream.cancel()));
    for (const segment of [0, 1, 2]) stream.speak(segment, 'Hello.');
    await log.until('failed');
    await settle();
    expect(log.events).toMatchObject([{ type: 'failed', segment: 0 }]);
    stream.close();
  });

  it('speaks the next segment on a new socket after a failure', async () => {
    const { emulator, log, stream } = await open({ speak: (text) => (text === 'Break.' ? { breakBy: 'reset' } : {}) });
    stream.speak(0, 'Break.');
    await log.until('failed');
    stream.speak(1, 'Again.');
    await log.until('done');
    expect(emulator.connections).toBe(2);
    stream.close();
    await waitFor(() => expect(emulator.openSockets).toBe(0));
  });
});
