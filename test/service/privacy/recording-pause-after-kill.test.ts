import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { WEBHOOK_EVENT_TYPES } from '../../../src/storage/events/webhook-event.ts';
import { textAnswer } from '../../providers/openai/chat-script.ts';
import { makeTone } from '../../rtp-peer/tone.ts';
import { heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { startEventReceiver } from '../rig/event-receiver.ts';
import { eventually } from '../rig/eventually.ts';
import { startServiceProcess } from '../rig/service-process.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { filesBelow } from './files-below.ts';
import { recordedChannels, windowsWith } from './recorded-channels.ts';

const SAID = 'My card is 4111 1111 1111 1111, I am Philippa Planted.';
const PLANTED = /4111\D?1111|philippa|planted/i;
const USER_HZ = 1_500;

it.each(['0', '2'])(
  'a service with %s call hosts that is killed in a pause by the state leaves nothing of the pause',
  async (hosts) => {
    const events = await startEventReceiver();
    const providers = await startEmulatedProviders({
      listen: { steps: heardLine(SAID, 1_000, 4_000) },
      chat: () => textAnswer('Thank you, Philippa.'),
    });
    onTestFinished(async () => void (await Promise.all([events.close(), providers.close()])));
    const environment = {
      ...providers.environment,
      CALL_HOSTS: hosts,
      LOG_LEVEL: 'debug',
      HTTP_ALLOW_ADDRESSES: '127.0.0.1/32',
    };
    const first = await startServiceProcess(environment);
    onTestFinished(() => first.kill());
    const { id } = await first.api.createAgent(
      talker({
        initial_message: '',
        states: [{ name: 'talk', prompt: 'Talk.', pause_recording: true }],
        record_tape: true,
        recording: true,
        webhook_url: events.url,
        webhook_subscriptions: [...WEBHOOK_EVENT_TYPES],
      }),
    );
    const { callId } = await dialIn(first, id, { audio: makeTone(USER_HZ, 60_000), pace: 'peer' });
    await eventually(async () => {
      const { transcript } = await first.api.call(callId);
      const hidden = transcript?.filter(({ content }) => content === '[not recorded]').map(({ role }) => role);
      expect(hidden).toEqual(expect.arrayContaining(['user', 'agent']));
    });
    await first.kill();
    const crashed = await filesBelow(first.dataDir);

    const second = await startServiceProcess({ ...environment, DATA_DIR: first.dataDir });
    onTestFinished(async () => {
      await second.stop();
      await rm(first.dataDir, { recursive: true, force: true });
    });
    const ready = () => events.arrivals.find(({ type }) => type === 'event_recording_ready');
    await eventually(() => expect(ready()).toBeDefined());
    await second.stop();

    const places = new Map([
      ...[...crashed].map(([path, text]) => [`crashed: ${path}`, text] as const),
      ...(await filesBelow(first.dataDir)),
      ['log', first.output() + second.output()],
      ['webhooks', events.arrivals.map(({ body }) => body).join('\n')],
    ]);
    expect([...places].flatMap(([place, text]) => (PLANTED.test(text) ? [place] : []))).toEqual([]);
    expect([...crashed.keys()].some((path) => path.endsWith('tape.jsonl'))).toBe(true);
    expect(ready()?.body).toContain('"requested_by":"state"');
    const { user } = await recordedChannels(join(first.dataDir, 'recordings', `${callId}.wav`));
    expect(user.length).toBeGreaterThan(0);
    // Before the answer of the initial state the recording has not begun.
    expect(windowsWith(user, USER_HZ)).toEqual([]);
  },
);
