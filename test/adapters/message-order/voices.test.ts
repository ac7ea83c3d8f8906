import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { createCartesiaVoice } from '../../../adapters/cartesia/voice.ts';
import { createDeepgramVoice } from '../../../adapters/deepgram/voice.ts';
import { createElevenLabsVoice } from '../../../adapters/elevenlabs/voice.ts';
import type { Voice, VoiceEvent } from '../../../engine/ports/voice.ts';
import { type SocketEmulator, startSocketEmulator } from '../../providers/socket/socket-emulator.ts';
import { EventLog, settle } from '../contract/event-log.ts';
import { WIDE_DEADLINES } from '../contract/voice-responses.ts';

const FOLDER = join(import.meta.dirname, '../../../fixtures/provider-messages');
const FORMAT = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;
const messagesSchema = z.object({ messages: z.array(z.record(z.string(), z.unknown())) });

/** Messages of one segment in the order of the provider's documentation. `$CONTEXT` stands for the requested context. */
function messagesOf(provider: string) {
  return messagesSchema.parse(JSON.parse(readFileSync(join(FOLDER, `${provider}.json`), 'utf8'))).messages;
}

function replay(socket: WebSocket, provider: string): void {
  socket.once('message', (data) => {
    const request: { context_id?: unknown } = JSON.parse(String(data));
    for (const message of messagesOf(provider)) {
      if (typeof message.binary === 'string') socket.send(Buffer.from(message.binary, 'base64'));
      else socket.send(JSON.stringify(message).replace('$CONTEXT', String(request.context_id)));
    }
  });
}

const VOICES: readonly (readonly [string, string, (access: SocketEmulator<void>) => Voice])[] = [
  ['elevenlabs', 'someone', (access) => createElevenLabsVoice(access, WIDE_DEADLINES)],
  ['cartesia', 'someone', (access) => createCartesiaVoice(access, WIDE_DEADLINES)],
  ['deepgram-aura', 'aura-2-thalia-en', (access) => createDeepgramVoice(access, WIDE_DEADLINES)],
  ['deepgram-flux', 'flux-haley-en', (access) => createDeepgramVoice(access, WIDE_DEADLINES)],
];

describe.each(VOICES)('messages in the order of %s', (provider, name, voiceOf) => {
  let server: SocketEmulator<void> | undefined;

  afterEach(() => server?.close());

  it('are emitted complete, with word times if the provider sends them, and end once', async () => {
    const access = await startSocketEmulator<void>(
      { apiKey: 'key', check: () => undefined, serve: (socket) => replay(socket, provider) },
      {},
    );
    server = access;
    const log = new EventLog<VoiceEvent>();
    const stream = voiceOf(access).open({ provider, name, language: 'en', speed: 1, format: FORMAT }, log.emit);
    stream.speak(0, 'Good evening.');
    await log.until('done');
    await settle();
    expect(log.types().filter((type) => type === 'done' || type === 'failed')).toEqual(['done']);
    const audio = log.events.reduce((sum, event) => sum + (event.type === 'audio' ? event.audio.length : 0), 0);
    expect(audio).toBe(4_800);
    const words = log.events.flatMap((event) => (event.type === 'words' ? event.words : []));
    if (provider.startsWith('deepgram')) expect(words).toEqual([]);
    else
      expect(words).toEqual([
        expect.objectContaining({ text: 'Good', startMs: 0, endMs: 200 }),
        { text: 'evening.', startMs: 250, endMs: expect.any(Number) },
      ]);
    stream.close();
  });
});
