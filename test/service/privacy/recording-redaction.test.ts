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
import {
  type ChangedStretch,
  changedStretches,
  isOnly,
  recordedChannels,
  WINDOW_MS,
  windowsWith,
} from './recorded-channels.ts';

/** The tone of each party while it says words, and while it says the number. The voice's words are 440 Hz. */
const USER_HZ = 600;
const USER_NUMBER_HZ = 1_500;
const AGENT_HZ = 440;
const AGENT_NUMBER_HZ = 2_100;
const TONE_HZ = 1_000;

/** Ten words of half a second: the number is the fourth to the seventh. */
const LINE = 'My card is 4111 1111 1111 1111 thanks a lot';
const LINE_START_MS = 1_000;
const WORD_MS = 500;
const NUMBER_START_MS = LINE_START_MS + 3 * WORD_MS;
const NUMBER_MS = 4 * WORD_MS;
const LINE_END_MS = NUMBER_START_MS + NUMBER_MS + 3 * WORD_MS;
const CONFIRMATION = 'I noted 4111 1111 1111 1111.';
const CONFIRMATION_MS = 1_500;
const QUESTION = 'Is there anything else that I can do?';
/** The agent's entry as it is stored. */
const ANSWER = `I noted [card]. ${QUESTION}`;
/** The jitter buffer of the recorder may hold the user back by as much more than at first, or as much less. */
const JITTER_MS = 200;
/** Sound counts from the end of its packet. */
const PACKET_MS = 20;
/** Smaller shifts of a clock are not followed. */
const SHIFT_MS = 40;

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

interface PartySound {
  readonly wordsHz: number;
  readonly numberHz: number;
}

/**
 * All of a party's number is within one stretch. Returns how many ms of its words are in that stretch, too, before the number and after it.
 */
function hiddenWords(original: Int16Array, { numberHz, wordsHz }: PartySound, stretches: readonly ChangedStretch[]) {
  const windows = windowsWith(original, numberHz);
  const [first = Number.NaN, last = Number.NaN] = [windows[0], windows.at(-1)];
  const stretch = stretches.find(({ fromMs, toMs }) => fromMs <= first && last < toMs);
  if (stretch === undefined) throw new Error(`${numberHz} Hz from ${first} to ${last}: ${JSON.stringify(stretches)}`);
  const words = windowsWith(original, wordsHz).filter((at) => at >= stretch.fromMs && at < stretch.toMs);
  const before = words.filter((at) => at < first).length * WINDOW_MS;
  return { before, after: words.filter((at) => at > last).length * WINDOW_MS };
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
    const unredacted = join(folder, `${callId}.unredacted.wav`);
    // The disk lags behind the call.
    await eventually(async () =>
      expect(windowsWith((await recordedChannels(unredacted)).agent, AGENT_HZ)).not.toEqual([]),
    );
    const original = await recordedChannels(unredacted);
    await hangUp();
    await isReady(callId);
    expect(await readdir(folder)).toEqual([`${callId}.wav`]);

    const redacted = await recordedChannels(join(folder, `${callId}.wav`));
    expect(windowsWith(redacted.user, USER_NUMBER_HZ)).toEqual([]);
    expect(windowsWith(redacted.agent, AGENT_NUMBER_HZ)).toEqual([]);
    const stretches = changedStretches(original, redacted);
    expect(stretches.map((stretch) => isOnly(redacted, TONE_HZ, stretch))).toEqual([true, true]);
    const { audio, engine } = TONE_MARGIN_MS;
    const user = hiddenWords(original.user, { wordsHz: USER_HZ, numberHz: USER_NUMBER_HZ }, stretches);
    expect(user.before).toBeLessThanOrEqual(audio + PACKET_MS + JITTER_MS + SHIFT_MS);
    expect(user.after).toBeLessThanOrEqual(audio + JITTER_MS + SHIFT_MS);
    const agent = hiddenWords(original.agent, { wordsHz: AGENT_HZ, numberHz: AGENT_NUMBER_HZ }, stretches);
    expect(agent.after).toBeLessThanOrEqual(2 * engine + SHIFT_MS);
    // The voice's next sentence stays.
    expect(windowsWith(redacted.agent, AGENT_HZ)).not.toEqual([]);
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
  const original = await recordedChannels(unredacted);
  await expect(stat(join(folder, `${callId}.wav`))).rejects.toThrow('ENOENT');

  const second = await startServiceProcess({ ...environment, DATA_DIR: first.dataDir });
  onTestFinished(async () => void (await second.stop()));
  await isReady(callId);
  expect(await readdir(folder)).toEqual([`${callId}.wav`]);
  const redacted = await recordedChannels(join(folder, `${callId}.wav`));
  // The speech before the user's last entry stays, and all after it is a tone.
  const [stretch = { fromMs: 0, toMs: 0 }, ...others] = changedStretches(original, redacted);
  expect(others).toEqual([]);
  expect(isOnly(redacted, TONE_HZ, { ...stretch, toMs: redacted.user.length / 8 })).toBe(true);
  expect(windowsWith(redacted.user, USER_HZ).filter((at) => at + WINDOW_MS < stretch.fromMs)).not.toEqual([]);
  expect(stretch.fromMs).toBeLessThan(windowsWith(original.user, USER_NUMBER_HZ)[0] ?? 0);
  const response = await fetch(`${second.httpUrl}/v1/calls/${callId}/recording`, {
    headers: { 'x-api-key': TEST_API_KEY },
  });
  expect(response.status).toBe(200);
});
