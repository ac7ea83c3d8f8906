import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { WEBHOOK_EVENT_TYPES } from '../../../src/storage/events/webhook-event.ts';
import { type Collector, startCollector } from '../../otlp/collector.ts';
import { textAnswer, toolCallsAnswer } from '../../providers/openai/chat-script.ts';
import { makeTone } from '../../rtp-peer/tone.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { type EventReceiver, startEventReceiver } from '../rig/event-receiver.ts';
import { eventually } from '../rig/eventually.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { startTestService } from '../rig/test-service.ts';
import { chargeTool } from './charge-tool.ts';
import { filesBelow } from './files-below.ts';

const CARD = '4111111111111111';
const TYPED_CARD = '5500005555555559';
/** The user's speech: a card number with a pause, an IBAN, an address, a phone number, an id. */
const SAID = [
  'My card is 4111 1111',
  '1111 1111, and my account is DE89 3704 0044 0532 0130 00.',
  'Write to maria.planted@example.com, or call 415 555 2671, my social is 457-55-5462, my DNI is 24681357 B.',
];
const LINE_MS = 3_000;
const TYPED_MS = 10_000;
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

/** With call hosts, the log and the journal cross a process. */
it.each(['0', '2'])(
  'with %s call hosts no number that the user said or typed is in the database, its log, the logs, tapes, recordings, webhooks and traces',
  async (hosts) => {
    const test = await startTestService({
      ...providers.environment,
      CALL_HOSTS: hosts,
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
    const during = await filesBelow(test.dataDir);
    await hangUp();
    const { transcript } = await test.api.callIn(callId, ['completed']);
    const arrived = () => events.arrivals.flatMap(({ call_id, type }) => (call_id === callId ? [type] : []));
    await eventually(() =>
      expect(arrived()).toEqual(expect.arrayContaining(['event_call_ended', 'event_recording_ready'])),
    );
    await test.service.stop(0);

    // The tool and the model had the true text.
    expect(toolBodies.join()).toContain(CARD);
    expect(JSON.stringify(providers.openai.requests)).toContain('DE89 3704');
    const said = JSON.stringify(transcript);
    for (const kind of ['card', 'iban', 'email', 'phone', 'ssn', 'national_id']) expect(said).toContain(`[${kind}]`);
    const after = await filesBelow(test.dataDir);
    expect([...during.keys()].some((path) => path.endsWith('-wal'))).toBe(true);
    expect([...after.keys()].some((path) => path.endsWith('tape.jsonl'))).toBe(true);
    const places = new Map([
      ...[...during].map(([path, text]) => [`during: ${path}`, text] as const),
      ...after,
      ['log', test.log()],
      ['traces', JSON.stringify(collector.spans)],
      ['webhooks', events.arrivals.map(({ body }) => body).join('\n')],
    ]);
    const given = [...places].flatMap(([place, text]) => {
      const match = PLANTED.exec(text);
      return match === null ? [] : [`${place}: ${text.slice(Math.max(0, match.index - 60), match.index + 60)}`];
    });
    expect(given).toEqual([]);
    // Spoken words with their times are nowhere but on the tape, where they are masked.
    const timed = [...places].flatMap(([place, text]) => (/\bspoken\b/.test(text) ? [place] : []));
    expect(timed.map((place) => place.slice(place.lastIndexOf('/') + 1))).toEqual(['expected.json', 'tape.jsonl']);
    expect(collector.spans.length).toBeGreaterThan(0);
  },
);
