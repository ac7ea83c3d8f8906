import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { encodeMulaw } from '../../../base/audio/g711.ts';
import { TONE_MARGIN_MS } from '../../../src/calls/redaction/recording-redaction.ts';
import { textAnswer } from '../../providers/openai/chat-script.ts';
import { makeTone } from '../../rtp-peer/tone.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { type EventReceiver, startEventReceiver } from '../rig/event-receiver.ts';
import { eventually } from '../rig/eventually.ts';
import { startServiceProcess, TEST_API_KEY } from '../rig/service-process.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { startTestService } from '../rig/test-service.ts';
import { recordedChannels, WINDOW_MS, windowsWith } from './recorded-channels.ts';

/** What each party sounds like while it says words, and while it says the number. The voice's words are 440 Hz. */
const USER_HZ = 600;
const USER_NUMBER_HZ = 1_500;
const AGENT_HZ = 440;
const AGENT_NUMBER_HZ = 2_100;
const TONE_HZ = 1_000;

/** Eight words of half a second: the number is the fourth to the seventh. */
const LINE = 'My card is 4111 1111 1111 1111 thanks';
const LINE_START_MS = 1_000;
const WORD_MS = 500;
const NUMBER_START_MS = LINE_START_MS + 3 * WORD_MS;
const NUMBER_MS = 4 * WORD_MS;
const LINE_END_MS = NUMBER_START_MS + NUMBER_MS + WORD_MS;
const CONFIRMATION = 'I noted 4111 1111 1111 1111.';
const CONFIRMATION_MS = 1_500;
const QUESTION = 'Is there anything else that I can do?';
/** The agent's entry as it is stored. */
const ANSWER = `I noted [card]. ${QUESTION}`;
/** Packets on a busy machine are late against the clock of the recording. */
const TIMING_MS = 120;
/** Two tones have four edges. */
const EDGE_WINDOWS = 4;

const USER_AUDIO = Int16Array.from([
  ...makeTone(USER_HZ, NUMBER_START_MS),
  ...makeTone(USER_NUMBER_HZ, NUMBER_MS),
  ...makeTone(USER_HZ, 60_000),
]);

function mulawTone(frequencyHz: number, durationMs: number): Uint8Array {
  const samples = makeTone(frequencyHz, durationMs);
  const bytes = new Uint8Array(samples.length);
  encodeMulaw(samples, 0, samples.length, bytes);
  return bytes;
}

const AGENT = talker({
  initial_message: '',
  recording: true,
  redaction: { entities: ['card'], audio: 'tone' },
  webhook_subscriptions: ['event_recording_ready'],
});

let providers: EmulatedProviders;
let events: EventReceiver;
beforeAll(async () => {
  events = await startEventReceiver();
  providers = await startEmulatedProviders({
    listen: { steps: heardLine(LINE, LINE_START_MS, LINE_END_MS) },
    chat: () => textAnswer(`${CONFIRMATION} ${QUESTION}`),
    speak: (text) => (text.includes('noted') ? { audio: mulawTone(AGENT_NUMBER_HZ, CONFIRMATION_MS) } : {}),
  });
});
afterAll(() => Promise.all([events.close(), providers.close()]));

const agentOf = () => ({ ...AGENT, webhook_url: events.url });

/** No window of either channel holds a number, and the user's other words are there up to the tone. */
async function expectRedacted(path: string): Promise<void> {
  const { agent, user } = await recordedChannels(path);
  expect(windowsWith(user, USER_NUMBER_HZ)).toEqual([]);
  expect(windowsWith(agent, AGENT_NUMBER_HZ)).toEqual([]);
  expect(windowsWith(user, TONE_HZ).length).toBeGreaterThan(NUMBER_MS / WINDOW_MS);
}

async function isReady(callId: string): Promise<void> {
  await eventually(() => expect(events.arrivals.map((event) => event.call_id)).toContain(callId));
}

describe.each([{ hosts: '0' }, { hosts: '2' }])('the recording of a call with $hosts call hosts', ({ hosts }) => {
  it('holds a tone in the place of a number and of its repetition, and all other words', async () => {
    const test = await startTestService({ ...providers.environment, CALL_HOSTS: hosts });
    onTestFinished(() => test.close());
    const { id } = await test.api.createAgent(agentOf());
    const { callId, hangUp, said } = await dialIn(test, id, { audio: USER_AUDIO, pace: 'peer' });
    await said(ANSWER);
    const folder = join(test.dataDir, 'recordings');
    // Nothing of this name can be downloaded or uploaded before it is redacted.
    expect((await readdir(folder)).toSorted()).toEqual([`${callId}.redactions.jsonl`, `${callId}.unredacted.wav`]);
    await hangUp();
    await isReady(callId);
    expect(await readdir(folder)).toEqual([`${callId}.wav`]);

    const path = join(folder, `${callId}.wav`);
    await expectRedacted(path);
    const { agent, user } = await recordedChannels(path);
    const tones = windowsWith(user, TONE_HZ);
    // Both channels; a window at an edge may hold less of the tone than of the other sound.
    const ofAgent = windowsWith(agent, TONE_HZ);
    expect(tones.filter((at) => !ofAgent.includes(at)).length).toBeLessThanOrEqual(EDGE_WINDOWS);
    const number = tones.filter((at) => at < (tones[0] ?? 0) + LINE_END_MS - NUMBER_START_MS);
    const lengthMs = number.length * WINDOW_MS;
    expect(lengthMs).toBeGreaterThan(NUMBER_MS);
    expect(lengthMs).toBeLessThan(NUMBER_MS + TONE_MARGIN_MS.audio.before + TONE_MARGIN_MS.audio.after + TIMING_MS);
    // The words before the number and after it stay. How many packets arrived in time is no promise.
    const words = windowsWith(user, USER_HZ);
    expect(words.some((at) => at < (number[0] ?? 0))).toBe(true);
    expect(words.some((at) => at > (number.at(-1) ?? 0))).toBe(true);
    // The voice's next sentence stays.
    expect(windowsWith(agent, AGENT_HZ).length * WINDOW_MS).toBeGreaterThan(1_500);
  });
});

it('a recording that kill -9 cut off is redacted before it is offered', async () => {
  const environment = { ...providers.environment, HTTP_ALLOW_ADDRESSES: '127.0.0.1/32' };
  const first = await startServiceProcess(environment);
  onTestFinished(() => first.kill());
  const { id } = await first.api.createAgent(agentOf());
  const { callId, said } = await dialIn(first, id, { audio: USER_AUDIO, pace: 'peer' });
  await said(ANSWER);
  const folder = join(first.dataDir, 'recordings');
  const unredacted = join(folder, `${callId}.unredacted.wav`);
  // The user's number is on the disk.
  await eventually(async () =>
    expect(windowsWith((await recordedChannels(unredacted)).user, USER_NUMBER_HZ)).not.toEqual([]),
  );
  await first.kill();
  await expect(stat(join(folder, `${callId}.wav`))).rejects.toThrow('ENOENT');

  const second = await startServiceProcess({ ...environment, DATA_DIR: first.dataDir });
  onTestFinished(async () => void (await second.stop()));
  await isReady(callId);
  expect(await readdir(folder)).toEqual([`${callId}.wav`]);
  await expectRedacted(join(folder, `${callId}.wav`));
  const response = await fetch(`${second.httpUrl}/v1/calls/${callId}/recording`, {
    headers: { 'x-api-key': TEST_API_KEY },
  });
  expect(response.status).toBe(200);
});
