import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { encodeMulaw } from '../../../base/audio/g711.ts';
import { WEBHOOK_EVENT_TYPES } from '../../../src/storage/events/webhook-event.ts';
import { type Collector, startCollector } from '../../otlp/collector.ts';
import { textAnswer, toolCallsAnswer } from '../../providers/openai/chat-script.ts';
import { makeTone } from '../../rtp-peer/tone.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { type EventReceiver, startEventReceiver } from '../rig/event-receiver.ts';
import { eventually } from '../rig/eventually.ts';
import { TEST_API_KEY } from '../rig/service-process.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';
import { chargeTool } from './charge-tool.ts';
import { filesBelow } from './files-below.ts';
import { recordedChannels, windowsWith } from './recorded-channels.ts';

const GREETING = 'Hello, what is your number?';
const SPOKEN_CARD = '4111 1111 1111 1111';
const TYPED_CARD = '5500005555555559';
const SAID = `I am Philippa Planted, and my card is ${SPOKEN_CARD}.`;
const SAID_LAST = 'That was all of my planted secrets.';
/** The agent in the pause. */
const CHARGED = `Thank you Philippa, I have charged ${TYPED_CARD}.`;
/** What the API says after the pause. */
const REPEATED = `Your card is ${SPOKEN_CARD}.`;
const TYPED_AFTER = '77';
/** All of it as it may be written. */
const PLANTED = /4111\D?1111|1111\D?1111|5500\D?0055|5555\D?5559|philippa|planted/i;
/** What each party sounds like in the pause, and before or after it. */
const USER_SECRET_HZ = 1_500;
const USER_HZ = 600;
const AGENT_SECRET_HZ = 2_100;
const AGENT_HZ = 1_000;
const SECRET_MS = 11_000;
const LAST_LINE_MS = SECRET_MS + 500;

let collector: Collector;
let events: EventReceiver;
let server: Server;
let toolBodies: string[];

function mulawTone(frequencyHz: number, durationMs: number): Uint8Array {
  const samples = makeTone(frequencyHz, durationMs);
  const bytes = new Uint8Array(samples.length);
  encodeMulaw(samples, 0, samples.length, bytes);
  return bytes;
}

beforeEach(async () => {
  toolBodies = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      toolBodies.push(body);
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ charged: TYPED_CARD }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  collector = await startCollector();
  events = await startEventReceiver();
});
afterEach(async () => {
  await Promise.all([collector.close(), events.close()]);
  server.close();
});

function startProviders(): Promise<EmulatedProviders> {
  const charge = toolCallsAnswer([{ id: 'call_1', name: 'charge', arguments: JSON.stringify({ card: TYPED_CARD }) }]);
  return startEmulatedProviders({
    listen: {
      steps: [...heardLine(SAID, 1_000, 4_000), ...heardLine(SAID_LAST, LAST_LINE_MS, LAST_LINE_MS + 1_500)],
    },
    chat: ({ messages }) => {
      const said = JSON.stringify(messages);
      // It may be heard after the pause.
      if (said.includes(SAID_LAST)) return textAnswer('Very well.');
      if (!said.includes(TYPED_CARD)) return textAnswer('Philippa, go on.');
      return messages.some(({ role }) => role === 'tool') ? textAnswer(CHARGED) : charge;
    },
    speak: (text) => ({ audio: mulawTone(/philippa/i.test(text) ? AGENT_SECRET_HZ : AGENT_HZ, 1_200) }),
  });
}

function payee(): object {
  const charge = chargeTool((server.address() as AddressInfo).port);
  return talker({
    initial_message: GREETING,
    initial_message_interruptible: false,
    states: [{ name: 'talk', prompt: 'Take the payment.', tools: [charge] }],
    record_tape: true,
    recording: true,
    webhook_url: events.url,
    webhook_subscriptions: [...WEBHOOK_EVENT_TYPES],
  });
}

/** A call that the API pauses while the user gives a name and numbers, and resumes. */
async function pausedCall({ api, dataDir, service, sipPort }: TestService, openai: EmulatedProviders['openai']) {
  const { id } = await api.createAgent(payee());
  const paused = Promise.withResolvers<void>();
  const heard = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  const { callId, hangUp, said } = await dialIn({ api, sipPort }, id, {
    audio: Int16Array.from([...makeTone(USER_SECRET_HZ, SECRET_MS), ...makeTone(USER_HZ, 60_000)]),
    pace: 'peer',
    speaksAt: paused.promise,
    dtmf: [
      { at: heard.promise, digits: `${TYPED_CARD}#`, by: 'info' },
      { at: resumed.promise, digits: `${TYPED_AFTER}#`, by: 'info' },
    ],
  });
  const url = `/v1/calls/${callId}`;
  const transcript = async () => (await api.call(callId)).transcript ?? [];
  const hasRole = (wanted: string) =>
    eventually(async () => expect((await transcript()).map(({ role }) => role)).toContain(wanted));
  const asked = (text: string) => eventually(() => expect(JSON.stringify(openai.requests)).toContain(text));
  await said(GREETING);
  expect((await api.send('POST', `${url}/recording/pause`)).status).toBe(200);
  expect((await api.send('POST', `${url}/recording/pause`)).status).toBe(200);
  await hasRole('recording_pause');
  paused.resolve();
  await asked(SPOKEN_CARD);
  heard.resolve();
  await hasRole('tool_response');
  await asked(SAID_LAST);
  const during = await filesBelow(dataDir);
  await api.send('POST', `${url}/recording/resume`);
  await eventually(async () => {
    expect((await transcript()).find(({ role }) => role === 'recording_pause')?.end_time).toEqual(expect.any(String));
  });
  resumed.resolve();
  await eventually(async () => expect((await transcript()).map(({ content }) => content)).toContain(TYPED_AFTER));
  await api.send('POST', `${url}/say`, { text: REPEATED, interrupt: true, interruptible: false });
  await said('Your card is [number].');
  await hangUp();
  const call = await api.callIn(callId, ['completed']);
  const arrived = () => events.arrivals.filter(({ call_id: of }) => of === callId);
  await eventually(() => expect(arrived().map(({ type }) => type)).toContain('event_recording_ready'));
  const live = await fetch(`${service.httpUrl}${url}/events`, { headers: { 'x-api-key': TEST_API_KEY } });
  return { call, during, arrived: arrived(), live: await live.text() };
}

/** With call hosts, the log and the journal cross a process. */
it.each(['0', '2'])(
  'with %s call hosts nothing that is said or typed in a pause is kept anywhere, and the model and the tool get it',
  async (hosts) => {
    const providers = await startProviders();
    onTestFinished(() => providers.close());
    const test = await startTestService({
      ...providers.environment,
      CALL_HOSTS: hosts,
      LOG_LEVEL: 'debug',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    });
    onTestFinished(() => test.close());
    const { arrived, call, during, live } = await pausedCall(test, providers.openai);
    await test.service.stop(0);

    expect(toolBodies.join()).toContain(TYPED_CARD);
    const after = await filesBelow(test.dataDir);
    expect([...during.keys()].some((path) => path.endsWith('-wal'))).toBe(true);
    expect([...after.keys()].some((path) => path.endsWith('tape.jsonl'))).toBe(true);
    expect(live).toContain('[not recorded]');
    const places = new Map([
      ...[...during].map(([path, text]) => [`during: ${path}`, text] as const),
      ...after,
      ['log', test.log()],
      ['traces', JSON.stringify(collector.spans)],
      ['webhooks', arrived.map(({ body }) => body).join('\n')],
      ['event stream', live],
    ]);
    const given = [...places].flatMap(([place, text]) => {
      const match = PLANTED.exec(text);
      return match === null ? [] : [`${place}: ${text.slice(Math.max(0, match.index - 60), match.index + 60)}`];
    });
    expect(given).toEqual([]);

    // The pause is marked in the transcript, in the call and in the event of the recording.
    const pause = { start_time: expect.any(String), end_time: expect.any(String), requested_by: 'api' };
    expect(call.recording_pauses).toEqual([pause]);
    expect(call.transcript?.filter(({ role }) => role === 'recording_pause')).toMatchObject([pause]);
    const ready = arrived.find(({ type }) => type === 'event_recording_ready');
    expect(ready?.body).toContain('"requested_by":"api"');

    // Its time goes on in the recording, in silence.
    const { agent, user } = await recordedChannels(join(test.dataDir, 'recordings', `${call.id}.wav`));
    expect([windowsWith(user, USER_SECRET_HZ), windowsWith(agent, AGENT_SECRET_HZ)]).toEqual([[], []]);
    expect(windowsWith(user, USER_HZ)[0]).toBeGreaterThan(LAST_LINE_MS);
    const agentMs = windowsWith(agent, AGENT_HZ);
    expect(agentMs[0]).toBeLessThan(LAST_LINE_MS);
    expect(agentMs.at(-1)).toBeGreaterThan(LAST_LINE_MS);
  },
);
