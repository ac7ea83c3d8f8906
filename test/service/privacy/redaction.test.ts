import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { WEBHOOK_EVENT_TYPES } from '../../../src/storage/events/webhook-event.ts';
import { type Collector, startCollector } from '../../otlp/collector.ts';
import { hasPostgres, temporaryPostgresUrl } from '../../postgres/temporary-postgres.ts';
import { textAnswer, toolCallsAnswer } from '../../providers/openai/chat-script.ts';
import { makeTone } from '../../rtp-peer/tone.ts';
import { hasMoto, startMoto } from '../../src/object-storage/moto.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { type EventReceiver, startEventReceiver } from '../rig/event-receiver.ts';
import { eventually } from '../rig/eventually.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { startTestService } from '../rig/test-service.ts';
import { chargeTool } from './charge-tool.ts';
import { filesBelow } from './files-below.ts';
import { bucketSettings, storedObjects } from './stored-objects.ts';
import { storedRows } from './stored-rows.ts';

const CARD = '4111111111111111';
const TYPED_CARD = '5500005555555559';
/** The user's speech: a card number that words interrupt, an IBAN, an address in two halves, a phone number, ids. */
const SAID = [
  'My card is 4111 1111 1111',
  'hold on, let me turn it round',
  '1111, and my account is DE89 3704 0044 0532 0130 00. My address is maria dot planted',
  'at example dot com, call 415 555 2671, my social is 457-55-5462, my DNI is 24681357 B.',
];
const LINE_MS = 3_000;
const TYPED_MS = 13_000;
/** All of it as it may be written. */
const PLANTED =
  /4111\D?1111|1111\D?1111|3704\D?0044|0532\D?0130|maria|planted|415\D{0,2}555\D?2671|457\D?55\D?5462|24681357|5500\D?0055|5555\D?5559/i;
const ANSWER = `I have charged ${CARD} and written to maria.planted@example.com.`;

let collector: Collector;
let events: EventReceiver;
let providers: EmulatedProviders;
const toolBodies: string[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    toolBodies.push(body);
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ charged: CARD, mail: 'maria.planted@example.com' }));
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  collector = await startCollector();
  events = await startEventReceiver();
  const tool = toolCallsAnswer([{ id: 'call_1', name: 'charge', arguments: JSON.stringify({ card: CARD }) }]);
  providers = await startEmulatedProviders({
    listen: { steps: SAID.flatMap((line, nth) => heardLine(line, 1_000 + nth * LINE_MS, 2_500 + nth * LINE_MS)) },
    chat: ({ messages }) => {
      if (!JSON.stringify(messages).includes('24681357')) return textAnswer('Go on.');
      return messages.some(({ role }) => role === 'tool') ? textAnswer(ANSWER) : tool;
    },
  });
});
afterAll(async () => {
  await Promise.all([providers.close(), collector.close(), events.close()]);
  server?.close();
});

/** The agent takes a payment by a tool of the server. */
function payee(): object {
  const charge = chargeTool((server.address() as AddressInfo).port);
  return talker({
    initial_message: '',
    states: [{ name: 'talk', prompt: 'Take the payment.', tools: [charge] }],
    record_tape: true,
    recording: true,
    // The times of words cross all that the words cross.
    redaction: { entities: ['card', 'iban', 'email', 'phone', 'ssn', 'national_id'], audio: 'tone' },
    webhook_url: events.url,
    webhook_subscriptions: [...WEBHOOK_EVENT_TYPES],
  });
}

interface PlayedCall {
  /** The texts of all places that the call may have reached. */
  readonly places: ReadonlyMap<string, string>;
  readonly transcript: string;
}

/** Plays the call on a service with these settings. `further`: what it has stored elsewhere. */
async function playedCall(
  settings: Record<string, string>,
  further: () => Promise<ReadonlyMap<string, string>> = async () => new Map(),
): Promise<PlayedCall> {
  const test = await startTestService({
    ...providers.environment,
    ...settings,
    LOG_LEVEL: 'debug',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
  });
  onTestFinished(() => test.close());
  const { id } = await test.api.createAgent(payee());
  const { callId, hangUp } = await dialIn(test, id, {
    audio: makeTone(440, 1_000 + SAID.length * LINE_MS),
    pace: 'peer',
    dtmf: [{ atMs: TYPED_MS, digits: `${TYPED_CARD}#`, by: 'info' }],
  });
  await eventually(async () => {
    const { transcript } = await test.api.call(callId);
    expect(transcript?.map(({ role }) => role)).toEqual(expect.arrayContaining(['dtmf', 'tool_response']));
  });
  const during = [...(await filesBelow(test.dataDir)), ...(await further())];
  await hangUp();
  const { transcript } = await test.api.callIn(callId, ['completed']);
  const arrived = () => events.arrivals.flatMap(({ call_id, type }) => (call_id === callId ? [type] : []));
  await eventually(() =>
    expect(arrived()).toEqual(expect.arrayContaining(['event_call_ended', 'event_recording_ready'])),
  );
  const after = () => Promise.all([filesBelow(test.dataDir), further()]);
  await eventually(async () => expect((await after()).flatMap(namesIn)).toContain('tape.jsonl'));
  await test.service.stop(0);
  const places = new Map([
    ...during.map(([path, text]) => [`during: ${path}`, text] as const),
    ...(await after()).flatMap((one) => [...one]),
    ['log', test.log()],
    ['traces', JSON.stringify(collector.spans)],
    ['webhooks', events.arrivals.map(({ body }) => body).join('\n')],
  ]);
  return { places, transcript: JSON.stringify(transcript) };
}

function namesIn(places: ReadonlyMap<string, string>): readonly string[] {
  return [...places.keys()].map((place) => place.slice(place.lastIndexOf('/') + 1));
}

function expectNothingPlanted({ places, transcript }: PlayedCall): void {
  // The tool and the model had the true text.
  expect(toolBodies.join()).toContain(CARD);
  expect(JSON.stringify(providers.openai.requests)).toContain('DE89 3704');
  for (const kind of ['card', 'iban', 'email', 'phone', 'ssn', 'national_id'])
    expect(transcript).toContain(`[${kind}]`);
  const given = [...places].flatMap(([place, text]) => {
    const match = PLANTED.exec(text);
    return match === null ? [] : [`${place}: ${text.slice(Math.max(0, match.index - 60), match.index + 60)}`];
  });
  expect(given).toEqual([]);
  // Spoken words with their times are nowhere but on the tape, where they are masked.
  const timed = new Map([...places].filter(([, text]) => /\bspoken\b/.test(text)));
  expect(namesIn(timed)).toEqual(['expected.json', 'tape.jsonl']);
  expect(collector.spans.length).toBeGreaterThan(0);
}

/** With call hosts, the log and the journal cross a process. */
it.each(['0', '2'])(
  'with %s call hosts no number that the user said or typed is in the database, its log, the logs, tapes, recordings, webhooks and traces',
  async (hosts) => {
    const played = await playedCall({ CALL_HOSTS: hosts });
    expectNothingPlanted(played);
    expect([...played.places.keys()].some((place) => place.startsWith('during: ') && place.endsWith('-wal'))).toBe(
      true,
    );
  },
);

it.skipIf(!hasPostgres())('no number that the user said or typed is in PostgreSQL', async () => {
  const url = await temporaryPostgresUrl();
  const played = await playedCall({ DATABASE_URL: url, TRUNKLINE_MASTER_KEY: 'ab'.repeat(32) }, () => storedRows(url));
  expectNothingPlanted(played);
  expect(played.places.get('table transcript_entries')).toContain('[card]');
});

it.skipIf(!hasMoto())('no number that the user said or typed is in the object store', async () => {
  const moto = await startMoto();
  onTestFinished(() => moto.close());
  const played = await playedCall(bucketSettings(moto), () => storedObjects(moto));
  expectNothingPlanted(played);
  expect([...played.places.keys()]).toContainEqual(expect.stringMatching(/^tapes\/.*tape\.jsonl$/));
});
