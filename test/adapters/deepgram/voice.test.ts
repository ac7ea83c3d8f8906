import { afterEach, describe, expect, it } from 'vitest';
import { createDeepgramVoice } from '../../../adapters/deepgram/voice.ts';
import type { VoiceEvent, VoiceOptions } from '../../../engine/ports/voice.ts';
import {
  type DeepgramEmulator,
  type DeepgramEmulatorOptions,
  startDeepgramEmulator,
} from '../../providers/deepgram/emulator.ts';
import { EventLog, settle, waitFor } from '../contract/event-log.ts';
import { MULAW, socketVoiceContract, WIDEBAND } from '../contract/socket-voice.ts';
import { WIDE_DEADLINES } from '../contract/voice-responses.ts';

socketVoiceContract('deepgram', {
  // `clearMs`: long enough that the rest of a cancelled segment and its end still arrive.
  start: (emulation) => startDeepgramEmulator({ ...emulation, clearMs: 20 }),
  createVoice: (emulator, deadlines) => createDeepgramVoice(emulator, deadlines),
  requestCount: ({ speaks }) => speaks.flatMap(({ texts }) => texts).length,
});

describe('deepgram voice', () => {
  let emulator: DeepgramEmulator | undefined;

  afterEach(async () => {
    await emulator?.close();
    emulator = undefined;
  });

  async function open(options: DeepgramEmulatorOptions, voice: Partial<VoiceOptions> = {}) {
    emulator = await startDeepgramEmulator(options);
    const log = new EventLog<VoiceEvent>();
    const stream = log.call(() =>
      createDeepgramVoice(emulator ?? { apiKey: '', baseUrl: '' }, WIDE_DEADLINES).open(
        { provider: 'deepgram', name: 'aura-2-thalia-en', language: 'en-GB', speed: 1, format: MULAW, ...voice },
        log.emit,
      ),
    );
    return { emulator, log, stream };
  }

  it.each([
    [{}, { model: 'aura-2-thalia-en', encoding: 'mulaw', sample_rate: '8000' }],
    [
      { name: 'Thalia', format: WIDEBAND },
      { model: 'aura-2-thalia-en', encoding: 'linear16', sample_rate: '16000' },
    ],
    [
      { name: 'celeste', language: 'es-MX', speed: 1.2 },
      { model: 'aura-2-celeste-es', speed: '1.2' },
    ],
    [{ name: 'celeste', language: 'ES' }, { model: 'aura-2-celeste-es' }],
    [
      { name: 'asteria', model: 'aura', speed: 2 },
      { model: 'aura-asteria-en', speed: '1.5' },
    ],
  ] as const)('opens its socket in advance, in the call’s format: %#', async (options, query) => {
    const { emulator, log, stream } = await open({}, options);
    await waitFor(() => expect(emulator.speaks).toHaveLength(1));
    stream.speak(0, 'Yes.');
    await log.until('done');
    expect(Object.fromEntries(emulator.speaks[0]?.query ?? [])).toMatchObject(query);
    stream.close();
    await waitFor(() => expect(emulator.openSockets).toBe(0));
    expect(emulator.connections).toBe(1);
    expect(emulator.speaks[0]?.controls).toEqual(['Speak', 'Flush', 'Close']);
  });

  it('emits audio before the segment is complete, in the requested format', async () => {
    const { log, stream } = await open({
      speak: () => ({ chunkBytes: 160, chunkMs: 0, breakAfterChunks: 1, breakBy: 'stall' }),
    });
    stream.speak(7, 'Hello.');
    await log.until('audio');
    expect(log.events[0]).toMatchObject({ type: 'audio', segment: 7, format: MULAW });
    stream.close();
  });

  it('uses one socket for the call, and opens none between segments', async () => {
    const { emulator, log, stream } = await open({});
    for (let segment = 0; segment < 5; segment++) {
      stream.speak(segment, 'Yes.');
      await log.until('done', segment + 1);
    }
    expect(emulator.connections).toBe(1);
    stream.close();
  });

  it('continues on another socket after the maximum of flushes in a minute, and loses or mixes nothing', async () => {
    const { emulator, log, stream } = await open({ speak: () => ({ audio: Buffer.alloc(100) }) });
    for (let segment = 0; segment < 45; segment++) stream.speak(segment, `Number ${segment}.`);
    await log.until('done', 45);
    expect(log.events.filter((event) => event.type === 'done').map((event) => event.segment)).toEqual([
      ...Array(45).keys(),
    ]);
    expect(emulator.speaks.map((record) => record.texts.length)).toEqual([20, 20, 5]);
    stream.close();
    await waitFor(() => expect(emulator.openSockets).toBe(0));
  });

  it('a socket that opens late does not extend the deadline of the first audio', async () => {
    const openMs = 700;
    const firstAudioMs = 1_000;
    emulator = await startDeepgramEmulator({ openMs, speak: () => ({ breakBy: 'stall' }) });
    const log = new EventLog<VoiceEvent>();
    const options = { provider: 'deepgram', name: 'thalia', language: 'en', speed: 1, format: MULAW };
    const stream = createDeepgramVoice(emulator, { firstAudioMs, stallMs: 10_000 }).open(options, log.emit);
    // Expired timers fire in the order of their deadlines, so a busy machine does not reorder the two.
    let isLate = false;
    const lateTimer = setTimeout(
      () => {
        isLate = true;
      },
      firstAudioMs + openMs / 2,
    );
    log.onEvent(() => clearTimeout(lateTimer));
    stream.speak(0, 'Yes.');
    await log.until('failed');
    expect(isLate).toBe(false);
    expect(log.events).toMatchObject([{ type: 'failed', error: { code: 'timeout' } }]);
    stream.close();
  });

  it('sends a text above the provider’s bound in several messages, as one segment', async () => {
    const text = 'A rather long sentence without an end '.repeat(130);
    const { emulator, log, stream } = await open({ speak: () => ({ audio: Buffer.alloc(100) }) });
    stream.speak(0, text);
    await log.until('done');
    expect(emulator.speaks[0]?.texts).toEqual([text.trim()]);
    expect(emulator.speaks[0]?.controls).toEqual(['Speak', 'Speak', 'Speak', 'Flush']);
    stream.close();
  });

  it('a cancel without an active segment sends nothing', async () => {
    const { emulator, log, stream } = await open({});
    stream.speak(0, 'Yes.');
    await log.until('done');
    stream.cancel();
    stream.speak(1, 'No.');
    await log.until('done', 2);
    expect(emulator.speaks[0]?.controls).toEqual(['Speak', 'Flush', 'Speak', 'Flush']);
    stream.close();
  });

  it('never sends a segment that was cancelled before the socket was open', async () => {
    const { emulator, log, stream } = await open({ openMs: 30 });
    stream.speak(0, 'Never.');
    stream.cancel();
    stream.speak(1, 'This.');
    await log.until('done');
    expect(emulator.speaks[0]?.texts).toEqual(['This.']);
    expect(log.events.every((event) => event.segment === 1)).toBe(true);
    stream.close();
  });

  it('ends a text without sound in order, without audio and without a request', async () => {
    const { emulator, log, stream } = await open({ speak: () => ({ audio: Buffer.alloc(100) }) });
    for (const [segment, text] of ['🙂', 'One.', '…', '**', 'Two.'].entries()) stream.speak(segment, text);
    await log.until('done', 5);
    const ends = log.events.filter((event) => event.type === 'done').map((event) => event.segment);
    expect(ends).toEqual([0, 1, 2, 3, 4]);
    expect(log.events.filter((event) => event.type === 'audio').map((event) => event.segment)).toEqual([1, 4]);
    expect(emulator.speaks[0]?.texts).toEqual(['One.', 'Two.']);
    stream.close();
  });

  it('a cancelled text without sound emits nothing', async () => {
    const { log, stream } = await open({ speak: () => ({ audio: Buffer.alloc(100) }) });
    stream.speak(0, '…');
    stream.cancel();
    stream.speak(1, 'One.');
    await log.until('done');
    expect(log.events.every((event) => event.segment === 1)).toBe(true);
    stream.close();
  });

  it('removes markup, applies the dictionary, and leaves numbers to the provider', async () => {
    const { emulator, log, stream } = await open({}, { pronunciations: [{ from: 'Nguyen', to: 'win' }] });
    stream.speak(0, '**Mr. Nguyen** owes $5.');
    await log.until('done');
    expect(emulator.speaks[0]?.texts).toEqual(['Mr. win owes $5.']);
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
    const { emulator, log, stream } = await open({
      speak: (text) => (text === 'Break.' ? { breakBy: 'reset' } : { audio: Buffer.alloc(100) }),
    });
    stream.speak(0, 'Break.');
    await log.until('failed');
    stream.speak(1, 'Again.');
    await log.until('done');
    expect(emulator.connections).toBe(2);
    stream.close();
    await waitFor(() => expect(emulator.openSockets).toBe(0));
  });
});
