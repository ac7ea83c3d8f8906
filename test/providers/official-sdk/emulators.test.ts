import { DeepgramClient } from '@deepgram/sdk';
import OpenAI, { toFile } from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { encodeWav } from '../../../base/audio/wav.ts';
import { waitFor } from '../../adapters/contract/event-log.ts';
import { type DeepgramEmulator, startDeepgramEmulator } from '../deepgram/emulator.ts';
import { turnInfo } from '../deepgram/flux-listen.ts';
import { results, utteranceEnd } from '../deepgram/listen-messages.ts';
import { byLastUserMessage, type OpenAiEmulator, startOpenAiEmulator } from '../openai/chat-emulator.ts';
import { textAnswer, toolCallsAnswer } from '../openai/chat-script.ts';
import { startOpenAiTranscriptionEmulator } from '../openai/transcription-emulator.ts';
import { EMULATED_MS_PER_CHARACTER } from '../speech/speak-answer.ts';

/** The providers' own SDKs are the clients: they prove that the emulators follow the real protocols. */
describe('the OpenAI emulator serves the official SDK', () => {
  let emulator: OpenAiEmulator | undefined;

  afterEach(() => emulator?.close());

  function client(): OpenAI {
    if (emulator === undefined) throw new Error('no emulator');
    return new OpenAI({ apiKey: emulator.apiKey, baseURL: emulator.baseUrl, maxRetries: 0 });
  }

  it('replies to whole conversations by the last words of the user', async () => {
    const call = { id: 'call_1', name: 'book', arguments: '{"people":2}' };
    emulator = await startOpenAiEmulator(
      byLastUserMessage([[/book/i, toolCallsAnswer([call])]], textAnswer('What may I do for you?')),
    );
    const stream = client().chat.completions.stream({
      model: 'gpt-4.1',
      messages: [{ role: 'user', content: 'Hello' }],
      stream_options: { include_usage: true },
    });
    expect(await stream.finalContent()).toBe('What may I do for you?');
    expect(await stream.totalUsage()).toMatchObject({ prompt_tokens: 10 });
    const second = client().chat.completions.stream({
      model: 'gpt-4.1',
      messages: [{ role: 'user', content: 'Book it' }],
    });
    const choice = (await second.finalChatCompletion()).choices[0];
    expect(choice?.finish_reason).toBe('tool_calls');
    expect(choice?.message.tool_calls?.[0]).toMatchObject({ id: 'call_1', function: { arguments: '{"people":2}' } });
    expect(emulator.requests).toHaveLength(2);
  });

  it('refuses a wrong key and a tool call without its result', async () => {
    emulator = await startOpenAiEmulator(() => textAnswer('never'));
    const clientWithWrongKey = new OpenAI({ apiKey: 'wrong', baseURL: emulator.baseUrl, maxRetries: 0 });
    const body = { model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] } as const;
    await expect(
      clientWithWrongKey.chat.completions.create({ ...body, messages: [...body.messages] }),
    ).rejects.toMatchObject({
      status: 401,
    });
    const withoutToolResult = client().chat.completions.create({
      ...body,
      messages: [
        {
          role: 'assistant',
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'user', content: 'And?' },
      ],
    });
    await expect(withoutToolResult).rejects.toMatchObject({ status: 400 });
    expect(emulator.requests).toHaveLength(0);
  });
});

describe('the OpenAI transcription emulator serves the official SDK', () => {
  it('transcribes a WAV file and refuses a wrong key', async () => {
    const emulator = await startOpenAiTranscriptionEmulator(() => ({ type: 'text', text: 'Two people.' }));
    const client = new OpenAI({ apiKey: emulator.apiKey, baseURL: emulator.baseUrl, maxRetries: 0 });
    const file = await toFile(
      encodeWav({ format: { encoding: 'linear16', sampleRateHz: 16_000 }, channels: 1, data: new Uint8Array(3_200) }),
      'speech.wav',
    );
    const answer = await client.audio.transcriptions.create({ file, model: 'whisper-1', language: 'en' });
    expect(answer.text).toBe('Two people.');
    expect(emulator.requests).toMatchObject([{ model: 'whisper-1', language: 'en', durationMs: 100 }]);
    const clientWithWrongKey = new OpenAI({ apiKey: 'another', baseURL: emulator.baseUrl, maxRetries: 0 });
    await expect(clientWithWrongKey.audio.transcriptions.create({ file, model: 'whisper-1' })).rejects.toMatchObject({
      status: 401,
    });
    await emulator.close();
  });
});

describe('the Deepgram emulator serves the official SDK', () => {
  let emulator: DeepgramEmulator | undefined;

  afterEach(() => emulator?.close());

  it('runs listen v1: results by audio position, KeepAlive, Finalize, CloseStream', async () => {
    const final = results('Two people.', { startMs: 0, endMs: 90, isFinal: true, speechFinal: true });
    emulator = await startDeepgramEmulator({
      listen: () => ({
        steps: [
          { audioMs: 100, action: { type: 'send', message: final } },
          { audioMs: 200, action: { type: 'send', message: utteranceEnd(90) } },
        ],
      }),
    });
    const client = new DeepgramClient({ apiKey: emulator.apiKey, baseUrl: emulator.baseUrl });
    const socket = await client.listen.v1.connect({
      Authorization: `Token ${emulator.apiKey}`,
      model: 'nova-3',
      encoding: 'mulaw',
      sample_rate: 8_000,
      reconnectAttempts: 0,
    });
    const types: string[] = [];
    socket.on('message', (message) => types.push(message.type));
    socket.connect();
    await socket.waitForOpen();
    socket.sendMedia(Buffer.alloc(799));
    socket.sendKeepAlive({ type: 'KeepAlive' });
    socket.sendFinalize({ type: 'Finalize' });
    await waitFor(() => expect(types).toEqual(['Results']));
    socket.sendMedia(Buffer.alloc(801));
    await waitFor(() => expect(types).toEqual(['Results', 'Results', 'UtteranceEnd']));
    socket.sendCloseStream({ type: 'CloseStream' });
    await waitFor(() => expect(types.at(-1)).toBe('Metadata'));
    expect(emulator.listens[0]?.controls).toEqual(['KeepAlive', 'Finalize', 'CloseStream']);
    await waitFor(() => expect(emulator?.openSockets).toBe(0));
    socket.close();
  });

  it('runs listen v2: turns, ForceEndTurn, CloseStream', async () => {
    const times = { startMs: 0, endMs: 90 };
    emulator = await startDeepgramEmulator({
      listen: () => ({
        steps: [{ audioMs: 100, action: { type: 'send', message: turnInfo('StartOfTurn', 'Two people.', times) } }],
        onFinalize: [{ type: 'send', message: turnInfo('EndOfTurn', 'Two people.', times) }],
      }),
    });
    const client = new DeepgramClient({ apiKey: emulator.apiKey, baseUrl: emulator.baseUrl });
    const socket = await client.listen.v2.connect({
      Authorization: `Token ${emulator.apiKey}`,
      model: 'flux-general-en',
      encoding: 'mulaw',
      sample_rate: 8_000,
      eager_eot_threshold: 0.4,
      reconnectAttempts: 0,
    });
    const eventTypes: string[] = [];
    socket.on('message', (message) => eventTypes.push(message.type === 'TurnInfo' ? message.event : message.type));
    socket.connect();
    await socket.waitForOpen();
    socket.sendMedia(Buffer.alloc(800));
    await waitFor(() => expect(eventTypes).toEqual(['Connected', 'StartOfTurn']));
    socket.sendForceEndTurn({ type: 'ForceEndTurn' });
    await waitFor(() => expect(eventTypes.at(-1)).toBe('EndOfTurn'));
    socket.sendCloseStream({ type: 'CloseStream' });
    await waitFor(() => expect(emulator?.openSockets).toBe(0));
    expect(emulator.listens[0]?.controls).toEqual(['ForceEndTurn', 'CloseStream']);
    socket.close();
  });

  it('runs speak v1: audio in proportion to the text, then Flushed; Clear and Close', async () => {
    emulator = await startDeepgramEmulator();
    const client = new DeepgramClient({ apiKey: emulator.apiKey, baseUrl: emulator.baseUrl });
    const socket = await client.speak.v1.connect({
      Authorization: `Token ${emulator.apiKey}`,
      model: 'aura-2-thalia-en',
      encoding: 'linear16',
      sample_rate: '8000',
      reconnectAttempts: 0,
    });
    const types: string[] = [];
    let bytes = 0;
    socket.on('message', (message: unknown) => {
      if (message instanceof Blob) bytes += message.size;
      else if (typeof message === 'object' && message !== null && 'type' in message) types.push(String(message.type));
    });
    socket.connect();
    await socket.waitForOpen();
    socket.sendText({ type: 'Speak', text: 'Hello.' });
    socket.sendFlush({ type: 'Flush' });
    await waitFor(() => expect(types).toContain('Flushed'));
    expect(bytes).toBe('Hello.'.length * EMULATED_MS_PER_CHARACTER * 16);
    socket.sendClear({ type: 'Clear' });
    await waitFor(() => expect(types).toContain('Cleared'));
    socket.sendClose({ type: 'Close' });
    await waitFor(() => expect(emulator?.openSockets).toBe(0));
    socket.close();
  });
});
