import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { link, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { UNREDACTED_SUFFIXES } from '../../../src/object-storage/call-files.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { type EventReceiver, startEventReceiver } from '../rig/event-receiver.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';
import { filesBelow } from './files-below.ts';

let events: EventReceiver;
let providers: EmulatedProviders;
let test: TestService;
beforeAll(async () => {
  events = await startEventReceiver();
  providers = await startEmulatedProviders({ listen: { steps: heardLine('Who are you?', 1_500, 2_300) } });
  test = await startTestService(providers.environment);
});
afterAll(async () => {
  await test?.close();
  await Promise.all([events.close(), providers?.close()]);
});

/**
 * Keeps the recording of a call from being completed, and so its tape, until the returned function is called: what is to be redacted is
 * written into a pipe, which waits for its reader.
 */
async function holdRecording(callId: string): Promise<() => Promise<void>> {
  const path = join(test.dataDir, 'recordings', `${callId}${UNREDACTED_SUFFIXES.known}`);
  await mkdir(dirname(path), { recursive: true });
  execFileSync('mkfifo', [path]);
  // The deletion of the call removes the other name.
  const name = join(test.dataDir, 'pipe');
  await link(path, name);
  return async () => {
    const reader = await open(name, constants.O_RDONLY | constants.O_NONBLOCK);
    onTestFinished(() => reader.close());
  };
}

it('leaves no file of a call whose content is deleted at its end, before its recording and tape are complete', async () => {
  const agent = talker({
    initial_message: 'Hello.',
    recording: true,
    record_tape: true,
    redaction: { entities: ['card'], audio: 'tone' },
    webhook_url: events.url,
    webhook_subscriptions: ['event_call_ended'],
  });
  const { promise: deleted, resolve: onDeleted } = Promise.withResolvers<number>();
  events.onTaken = ({ call_id }) =>
    void test.api.send('DELETE', `/v1/calls/${call_id}`).then(({ status }) => onDeleted(status));
  const { id } = await test.api.createAgent(agent);
  let completeRecording = async () => {};
  const onStaged = async (callId: string) => {
    completeRecording = await holdRecording(callId);
  };
  const { callId, said, hangUp } = await dialIn(test, id, { onStaged });
  try {
    await said('Very well.');
    await hangUp();
    expect(await deleted).toBe(200);
  } finally {
    await completeRecording();
  }
  // The service stops once its calls are over.
  await test.service.stop(0);
  const files = [...(await filesBelow(test.dataDir)).keys()];
  expect(files.filter((path) => path.includes(callId))).toEqual([]);
});
