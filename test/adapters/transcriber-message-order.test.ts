import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { createDeepgramTranscriber } from '../../adapters/deepgram/transcriber.ts';
import type { TranscriberEvent } from '../../engine/ports/transcriber.ts';
import { type SocketEmulator, startSocketEmulator } from '../providers/socket-emulator.ts';
import { EventLog, settle } from './contract/event-log.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/provider-messages');
const messagesSchema = z.object({ messages: z.array(z.record(z.string(), z.unknown())) });

/** What a stream tells once the provider has sent its messages in the order that its documentation tells. */
const EXPECTED: readonly (readonly [name: string, model: string, events: readonly object[]])[] = [
  [
    'deepgram-listen',
    'nova-3',
    [
      { type: 'speech', audioMs: 400 },
      { type: 'interim', text: 'a table', startMs: 400, endMs: 900 },
      { type: 'final', text: 'a table for', startMs: 400, endMs: 1_200, endOfTurn: false },
      { type: 'final', text: 'two.', startMs: 1_500, endMs: 1_700, endOfTurn: true },
      { type: 'utterance_end', lastWordEndMs: 1_700 },
    ],
  ],
  [
    'deepgram-flux-listen',
    'flux-general-en',
    [
      { type: 'turn', phase: 'started', text: 'A table', startMs: 500, endMs: 600 },
      { type: 'turn', phase: 'eager_end', text: 'A table', startMs: 500, endMs: 600 },
      { type: 'turn', phase: 'resumed', text: 'A table for two', startMs: 500, endMs: 1_400 },
      { type: 'turn', phase: 'eager_end', text: 'A table for two.', startMs: 500, endMs: 1_900 },
      { type: 'turn', phase: 'ended', text: 'A table for two.', startMs: 500, endMs: 1_900 },
    ],
  ],
];

describe.each(EXPECTED)('messages in the order of %s', (name, model, events) => {
  let server: SocketEmulator<void> | undefined;

  afterEach(() => server?.close());

  test('are told whole, each once', async () => {
    const { messages } = messagesSchema.parse(JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')));
    const replay = (socket: WebSocket) => {
      for (const message of messages) socket.send(JSON.stringify(message));
    };
    const access = await startSocketEmulator<void>({ apiKey: 'key', check: () => undefined, serve: replay }, {});
    server = access;
    const log = new EventLog<TranscriberEvent>();
    const format = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;
    const options = { provider: 'deepgram', model, language: 'en', vocabulary: [], format };
    const stream = createDeepgramTranscriber(access).open(options, log.emit);
    await log.untilCount(events.length + 1);
    await settle();
    expect(log.events).toMatchObject([{ type: 'ready' }, ...events]);
    stream.close();
  });
});
