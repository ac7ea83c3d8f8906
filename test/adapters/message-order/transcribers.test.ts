import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { createDeepgramTranscriber } from '../../../adapters/deepgram/transcriber.ts';
import { createScribeTranscriber } from '../../../adapters/elevenlabs/transcriber.ts';
import { createRealtimeTranscriber } from '../../../adapters/openai/realtime-transcriber.ts';
import type { Transcriber, TranscriberEvent } from '../../../engine/ports/transcriber.ts';
import { type SocketEmulator, startSocketEmulator } from '../../providers/socket/socket-emulator.ts';
import { EventLog, settle } from '../contract/event-log.ts';

const FOLDER = join(import.meta.dirname, '../../../fixtures/provider-messages');
const messagesSchema = z.object({ messages: z.array(z.record(z.string(), z.unknown())) });

type CreateTranscriber = (access: { readonly baseUrl: string; readonly apiKey: string }) => Transcriber;

/** The events of a stream when the provider sends its messages in the order of its documentation. */
const EXPECTED: readonly (readonly [
  name: string,
  transcriberOf: CreateTranscriber,
  model: string,
  events: readonly object[],
])[] = [
  [
    'deepgram-listen',
    createDeepgramTranscriber,
    'nova-3',
    [
      { type: 'interim', text: 'a table', startMs: 400, endMs: 900 },
      { type: 'final', text: 'a table for', startMs: 400, endMs: 1_200 },
      { type: 'final', text: 'two.', startMs: 1_500, endMs: 1_700 },
      { type: 'utterance_end', lastWordEndMs: 1_700 },
    ],
  ],
  [
    'deepgram-flux-listen',
    createDeepgramTranscriber,
    'flux-general-en',
    [
      { type: 'turn', phase: 'started', text: 'A table', startMs: 500, endMs: 600 },
      { type: 'turn', phase: 'eager_end', text: 'A table', startMs: 500, endMs: 600 },
      { type: 'turn', phase: 'resumed', text: 'A table for two', startMs: 500, endMs: 1_400 },
      { type: 'turn', phase: 'eager_end', text: 'A table for two.', startMs: 500, endMs: 1_900 },
      { type: 'turn', phase: 'ended', text: 'A table for two.', startMs: 500, endMs: 1_900 },
    ],
  ],
  [
    'openai-realtime',
    (access) => createRealtimeTranscriber({ ...access, provider: 'openai' }),
    'gpt-live-transcribe',
    [
      { type: 'interim', text: 'A table' },
      { type: 'interim', text: 'A table for' },
      { type: 'final', text: 'A table for two.' },
      { type: 'final', text: 'Tomorrow at eight.' },
    ],
  ],
  [
    'elevenlabs-scribe',
    createScribeTranscriber,
    'scribe_v2_realtime',
    [
      { type: 'interim', text: 'A table' },
      { type: 'interim', text: 'A table for two' },
      { type: 'final', text: 'A table for two.' },
    ],
  ],
];

describe.each(EXPECTED)('messages in the order of %s', (name, transcriberOf, model, events) => {
  let server: SocketEmulator<void> | undefined;

  afterEach(() => server?.close());

  it('are emitted complete, each once', async () => {
    const { messages } = messagesSchema.parse(JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')));
    const replay = (socket: WebSocket) => {
      for (const message of messages) socket.send(JSON.stringify(message));
    };
    const access = await startSocketEmulator<void>({ apiKey: 'key', check: () => undefined, serve: replay }, {});
    server = access;
    const log = new EventLog<TranscriberEvent>();
    const format = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;
    const options = { provider: 'deepgram', model, language: 'en', vocabulary: [], format };
    const stream = transcriberOf(access).open(options, log.emit);
    await log.untilCount(events.length + 1);
    await settle();
    expect(log.events).toMatchObject([{ type: 'ready' }, ...events]);
    stream.close();
  });
});

/** A fixture entry `client` is a message that the client must send. The provider continues once it has received it. */
const clientSchema = z.object({ client: z.record(z.string(), z.unknown()) });

describe.each(['deepgram-flux-configure-success', 'deepgram-flux-configure-failure'])(
  'configuration messages as in %s',
  (name) => {
    let server: SocketEmulator<void> | undefined;

    afterEach(() => server?.close());

    it('are sent one at a time, the latest threshold after the response, and the turn continues', async () => {
      const { messages } = messagesSchema.parse(JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')));
      const expectedRequests = messages.flatMap((message) => {
        const entry = clientSchema.safeParse(message);
        return entry.success ? [entry.data.client] : [];
      });
      const requests: unknown[] = [];
      const passedEntries: number[] = [];
      const play = (socket: WebSocket) => {
        let next = 0;
        const sendNext = () => {
          for (let message = messages[next]; message !== undefined; message = messages[next]) {
            if (clientSchema.safeParse(message).success && requests.length <= passedEntries.length) return;
            if (clientSchema.safeParse(message).success) passedEntries.push(next);
            else socket.send(JSON.stringify(message));
            next++;
          }
        };
        socket.on('message', (data, isBinary) => {
          if (!isBinary) requests.push(JSON.parse(String(data)));
          sendNext();
        });
        sendNext();
      };
      const access = await startSocketEmulator<void>({ apiKey: 'key', check: () => undefined, serve: play }, {});
      server = access;
      const log = new EventLog<TranscriberEvent>();
      const format = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;
      const options = { provider: 'deepgram', model: 'flux-general-en', language: 'en', vocabulary: [], format };
      const stream = createDeepgramTranscriber(access).open(options, log.emit);
      await log.until('ready');
      stream.configure?.({ eotThreshold: 0.9 });
      stream.configure?.({ eotThreshold: 0.8 });
      stream.configure?.({});
      await log.untilCount(5);
      await settle();
      // The adapter skips the threshold between the first and the last.
      expect(requests).toEqual(expectedRequests);
      expect(log.events).toMatchObject([
        { type: 'ready' },
        { type: 'turn', phase: 'started', text: 'My number' },
        { type: 'turn', phase: 'updated', text: 'My number is' },
        { type: 'turn', phase: 'updated', text: 'My number is four' },
        { type: 'turn', phase: 'ended', text: 'My number is four two.' },
      ]);
      stream.close();
    });
  },
);
