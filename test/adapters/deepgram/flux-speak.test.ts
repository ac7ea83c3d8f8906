import { afterEach, describe, expect, it } from 'vitest';
import { createDeepgramVoice } from '../../../adapters/deepgram/voice.ts';
import type { Voice, VoiceEvent, VoiceOptions } from '../../../engine/ports/voice.ts';
import {
  type DeepgramEmulator,
  type DeepgramEmulatorOptions,
  startDeepgramEmulator,
} from '../../providers/deepgram/emulator.ts';
import { EventLog, waitFor } from '../contract/event-log.ts';
import { socketVoiceContract } from '../contract/socket-voice.ts';
import { WIDE_DEADLINES } from '../contract/voice-responses.ts';

const FORMATS = [
  { encoding: 'mulaw', sampleRateHz: 8_000 },
  { encoding: 'linear16', sampleRateHz: 16_000 },
] as const;

/** The contract requests a voice name that is not a Flux voice: replace it. */
function asFlux(voice: Voice): Voice {
  return { open: (options, emit) => voice.open({ ...options, name: 'flux-haley-en' }, emit) };
}

socketVoiceContract('deepgram flux', {
  start: startDeepgramEmulator,
  createVoice: (emulator, deadlines) => asFlux(createDeepgramVoice(emulator, deadlines)),
  requestCount: ({ fluxSpeaks }) => fluxSpeaks.flatMap(({ texts }) => texts).length,
});

describe('deepgram flux voice', () => {
  let emulator: DeepgramEmulator | undefined;

  afterEach(() => emulator?.close());

  async function open(options: DeepgramEmulatorOptions = {}, voice: Partial<VoiceOptions> = {}) {
    const started = await startDeepgramEmulator(options);
    emulator = started;
    const log = new EventLog<VoiceEvent>();
    const stream = log.call(() =>
      createDeepgramVoice(started, WIDE_DEADLINES).open(
        { provider: 'deepgram', name: 'flux-haley-en', language: 'en-GB', speed: 1, format: FORMATS[0], ...voice },
        log.emit,
      ),
    );
    return { emulator: started, log, stream };
  }

  it.each([
    [{}, { model: 'flux-haley-en', encoding: 'mulaw', sample_rate: '8000' }],
    [
      { name: 'Haley', model: 'flux', speed: 1.13 },
      { model: 'flux-haley-en', speed: '1.15' },
    ],
    [{ speed: 2 }, { speed: '1.5' }],
  ])('speaks a Flux voice over v2, in the call’s format: %#', async (options, query) => {
    const { emulator, log, stream } = await open({}, options);
    stream.speak(0, 'Yes.');
    await log.until('done');
    expect(Object.fromEntries(emulator.fluxSpeaks[0]?.query ?? [])).toMatchObject(query);
    expect(emulator.speaks).toEqual([]);
    stream.close();
    await waitFor(() => expect(emulator.fluxSpeaks[0]?.controls).toEqual(['Speak', 'Flush', 'Close']));
    await waitFor(() => expect(emulator.openSockets).toBe(0));
  });

  it('a cancel interrupts the turn, and the next turn waits until the provider has ended it', async () => {
    const { emulator, log, stream } = await open({
      speak: (text) => (text === 'Long.' ? { audio: Buffer.alloc(8_000), chunkBytes: 80, chunkMs: 5 } : {}),
    });
    stream.speak(0, 'Long.');
    await log.until('audio');
    const countAtCancel = log.events.length;
    stream.cancel();
    stream.speak(1, 'Short.');
    await log.until('done');
    expect(log.events.slice(countAtCancel).every((event) => event.segment === 1)).toBe(true);
    expect(emulator.fluxSpeaks[0]?.controls).toEqual(['Speak', 'Flush', 'Interrupt', 'Speak', 'Flush']);
    stream.close();
  });
});
