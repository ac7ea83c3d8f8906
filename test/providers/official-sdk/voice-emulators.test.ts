import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { DeepgramClient } from '@deepgram/sdk';
import { AudioOutputMulti } from '@elevenlabs/elevenlabs-js/serialization/types/AudioOutputMulti.js';
import { CloseContext } from '@elevenlabs/elevenlabs-js/serialization/types/CloseContext.js';
import { CloseSocket } from '@elevenlabs/elevenlabs-js/serialization/types/CloseSocket.js';
import { FinalOutputMulti } from '@elevenlabs/elevenlabs-js/serialization/types/FinalOutputMulti.js';
import { InitializeConnectionMulti } from '@elevenlabs/elevenlabs-js/serialization/types/InitializeConnectionMulti.js';
import { SendTextMulti } from '@elevenlabs/elevenlabs-js/serialization/types/SendTextMulti.js';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { multiContextProtocol } from '../../../adapters/elevenlabs/multi-context-protocol.ts';
import { waitFor } from '../../adapters/contract/event-log.ts';
import { type CartesiaEmulator, startCartesiaEmulator } from '../cartesia/voice-emulator.ts';
import { startDeepgramEmulator } from '../deepgram/emulator.ts';
import { startElevenLabsEmulator } from '../elevenlabs/voice-emulator.ts';
import { startOpenAiSpeechEmulator } from '../openai/speech-emulator.ts';
import { EMULATED_MS_PER_CHARACTER } from '../speech/speak-answer.ts';

/** Loaded with `require`: the SDK's ES modules support only the WebSocket of browsers. */
const { Cartesia }: typeof import('@cartesia/cartesia-js') = createRequire(import.meta.url)('@cartesia/cartesia-js');

const MULAW = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Closes the emulator after the test. */
function closedAfterTest<Emulator extends { close(): Promise<void> }>(emulator: Emulator): Emulator {
  closing.push(() => emulator.close());
  return emulator;
}

describe('the Cartesia emulator serves the official SDK', () => {
  /** The SDK always uses wss. `createConnection` gives it a connection without TLS. */
  async function sdkSocket({ apiKey, baseUrl }: CartesiaEmulator) {
    const { port } = new URL(baseUrl);
    const client = new Cartesia({ apiKey, baseURL: baseUrl });
    return client.tts.websocket({ createConnection: () => connect(Number(port), '127.0.0.1') });
  }

  const speechOptions = {
    model_id: 'sonic-3',
    voice: { id: 'someone' },
    output_format: { container: 'raw', encoding: 'pcm_mulaw', sample_rate: 8_000 },
  } as const;

  it('runs a generation: word times and audio chunks, then done', async () => {
    const emulator = closedAfterTest(await startCartesiaEmulator());
    const socket = await sdkSocket(emulator);
    const context = (await socket.connect()).context({ ...speechOptions, add_timestamps: true });
    const text = 'Good evening.';
    await context.send({ transcript: text, continue: false });
    const types: string[] = [];
    let bytes = 0;
    for await (const event of context.receive({ timeout: 5_000 })) {
      types.push(event.type);
      if (event.type === 'chunk') bytes += event.audio?.length ?? 0;
      if (event.type === 'timestamps') expect(event.word_timestamps?.words).toEqual(['Good', 'evening.']);
    }
    expect(new Set(types)).toEqual(new Set(['timestamps', 'chunk', 'done']));
    expect(bytes).toBe(text.length * EMULATED_MS_PER_CHARACTER * 8);
    socket.close();
    await waitFor(() => expect(emulator.openSockets).toBe(0));
  });

  it('sends no audio for a cancelled context and refuses a wrong key', async () => {
    const emulator = closedAfterTest(await startCartesiaEmulator({ speak: () => ({ firstAudioMs: 20 }) }));
    const socket = await sdkSocket(emulator);
    const eventTypes: string[] = [];
    socket.on('event', (event) => eventTypes.push(event.type));
    const context = (await socket.connect()).context(speechOptions);
    await context.send({ transcript: 'Never.', continue: false });
    await context.cancel();
    const next = socket.context(speechOptions);
    await next.send({ transcript: 'Yes.', continue: false });
    for await (const event of next.receive({ timeout: 5_000 })) expect(event.type).not.toBe('error');
    expect(eventTypes.filter((type) => type === 'done')).toHaveLength(1);
    socket.close();
    const clientWithWrongKey = new WebSocket(
      `${emulator.baseUrl.replace('http', 'ws')}/tts/websocket?cartesia_version=2026-03-01`,
      {
        headers: { Authorization: 'Bearer wrong' },
      },
    );
    const refused = await new Promise((resolve) => {
      clientWithWrongKey.on('unexpected-response', (_request, response) => resolve(response.statusCode));
    });
    expect(refused).toBe(401);
    clientWithWrongKey.on('error', () => undefined);
    clientWithWrongKey.terminate();
  });
});

describe('the ElevenLabs emulator sends messages of the official SDK', () => {
  /** The SDK defines the messages of the multi-context socket but has no client for it. */
  it('exchanges messages that the SDK can encode and parse', async () => {
    const emulator = closedAfterTest(await startElevenLabsEmulator());
    const url = `${emulator.baseUrl.replace('http', 'ws')}/v1/text-to-speech/someone/multi-stream-input?model_id=eleven_flash_v2_5&output_format=ulaw_8000`;
    const socket = new WebSocket(url, { headers: { 'xi-api-key': emulator.apiKey } });
    const messages: unknown[] = [];
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    await new Promise((resolve) => socket.once('open', resolve));
    const send = (message: unknown) => socket.send(JSON.stringify(message));
    send(await InitializeConnectionMulti.jsonOrThrow({ text: ' ', contextId: 'one', voiceSettings: { speed: 1.1 } }));
    send(await SendTextMulti.jsonOrThrow({ text: 'Good evening. ', contextId: 'one', flush: true }));
    send(await CloseContext.jsonOrThrow({ contextId: 'one', closeContext: true }));
    await waitFor(() => expect(messages.at(-1)).toEqual({ isFinal: true, contextId: 'one' }));
    let text = '';
    let bytes = 0;
    for (const message of messages.slice(0, -1)) {
      const audio = await AudioOutputMulti.parseOrThrow(message, {
        unrecognizedObjectKeys: 'passthrough',
      });
      expect(audio.contextId).toBe('one');
      text += audio.alignment?.chars?.join('') ?? '';
      bytes += Buffer.from(audio.audio, 'base64').length;
    }
    await FinalOutputMulti.parseOrThrow(messages.at(-1));
    expect(text).toBe('Good evening.');
    expect(bytes).toBe(text.length * EMULATED_MS_PER_CHARACTER * 8);
    send(await CloseSocket.jsonOrThrow({ closeSocket: true }));
    await waitFor(() => expect(emulator.openSockets).toBe(0));
  });

  it('accepts from the adapter only messages that the SDK can parse', async () => {
    const options = { provider: 'elevenlabs', name: 'someone', language: 'en', speed: 1.1, format: MULAW };
    const protocol = multiContextProtocol({ baseUrl: 'https://api.elevenlabs.io', apiKey: 'none' }, options, 1_000);
    const [first, second, third] = protocol.speak('one', 'Hello.');
    expect(await InitializeConnectionMulti.parseOrThrow(first)).toEqual({
      text: ' ',
      contextId: 'one',
      voiceSettings: { speed: 1.1 },
    });
    expect(await SendTextMulti.parseOrThrow(second)).toEqual({ text: 'Hello. ', contextId: 'one', flush: true });
    expect(await CloseContext.parseOrThrow(third)).toEqual({ contextId: 'one', closeContext: true });
    expect(await CloseSocket.parseOrThrow(protocol.closeMessage)).toEqual({ closeSocket: true });
  });
});

describe('the OpenAI speech emulator serves the official SDK', () => {
  it('sends raw samples in proportion to the text and refuses a wrong key', async () => {
    const emulator = closedAfterTest(await startOpenAiSpeechEmulator(() => ({})));
    const request = { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'Hello.', response_format: 'pcm' } as const;
    const client = new OpenAI({ apiKey: emulator.apiKey, baseURL: emulator.baseUrl, maxRetries: 0 });
    const audio = await (await client.audio.speech.create(request)).arrayBuffer();
    expect(audio.byteLength).toBe('Hello.'.length * EMULATED_MS_PER_CHARACTER * 48);
    const clientWithWrongKey = new OpenAI({ apiKey: 'wrong', baseURL: emulator.baseUrl, maxRetries: 0 });
    await expect(clientWithWrongKey.audio.speech.create(request)).rejects.toMatchObject({ status: 401 });
    await expect(client.audio.speech.create({ ...request, input: '' })).rejects.toMatchObject({ status: 400 });
    expect(emulator.requests).toHaveLength(1);
  });
});

describe('the Deepgram emulator serves the official SDK', () => {
  it('runs speak v2: a complete turn, then an interrupted turn', async () => {
    const emulator = closedAfterTest(await startDeepgramEmulator({ speak: () => ({ chunkBytes: 160, chunkMs: 2 }) }));
    const client = new DeepgramClient({ apiKey: emulator.apiKey, baseUrl: emulator.baseUrl });
    const socket = await client.speak.v2.connect({
      Authorization: `Token ${emulator.apiKey}`,
      model: 'flux-haley-en',
      encoding: 'mulaw',
      sample_rate: '8000',
      reconnectAttempts: 0,
    });
    const types: string[] = [];
    socket.on('message', (message: unknown) => {
      if (message instanceof Blob) types.push('audio');
      else if (typeof message === 'object' && message !== null && 'type' in message) types.push(String(message.type));
    });
    socket.connect();
    await socket.waitForOpen();
    socket.sendSpeak({ type: 'Speak', text: 'Hi.' });
    socket.sendFlush({ type: 'Flush' });
    await waitFor(() => expect(types.at(-1)).toBe('SpeechMetadata'));
    expect(types.slice(0, 2)).toEqual(['Connected', 'SpeechStarted']);
    expect(types.slice(2, -2)).toEqual(Array(9).fill('audio'));
    socket.sendSpeak({ type: 'Speak', text: 'A long sentence that the client interrupts before its end.' });
    socket.sendFlush({ type: 'Flush' });
    await waitFor(() => expect(types.at(-1)).toBe('audio'));
    socket.sendInterrupt({ type: 'Interrupt' });
    await waitFor(() => expect(types.at(-1)).toBe('SpeechInterrupted'));
    socket.sendClose({ type: 'Close' });
    await waitFor(() => expect(emulator.openSockets).toBe(0));
    socket.close();
  });
});
