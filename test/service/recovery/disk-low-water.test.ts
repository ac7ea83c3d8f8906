import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startEmulatedProviders } from '../rig/emulated-providers.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { startTestService } from '../rig/test-service.ts';

/** More than the free space of any disk, MiB. */
const LOW_WATER_MB = '999999';
const REPORT_TIMEOUT_MS = 10_000;

it('a disk below its low-water mark stops recording and tape; the call reports it and continues', async () => {
  const providers = await startEmulatedProviders();
  onTestFinished(() => providers.close());
  const test = await startTestService({ ...providers.environment, DISK_LOW_WATER_MB: LOW_WATER_MB });
  onTestFinished(() => test.close());
  const { id } = await test.api.createAgent(talker({ record_tape: true, recording: true, initial_message: 'Hello.' }));
  const { callId, said, hangUp } = await dialIn(test, id);
  await said('Hello.');
  expect((await hangUp()).ladder.join('\n')).toContain('200');
  const ended = await test.api.callIn(callId, ['completed']);
  expect(ended.transcript?.map(({ content }) => content)).toContain('Hello.');
  // The recorder reports its outcome after the end of the call.
  await expect
    .poll(() => test.api.call(callId), { timeout: REPORT_TIMEOUT_MS })
    .toMatchObject({ recording_url: null, recording_unavailable_reason: 'disk' });
  expect(await readdir(join(test.dataDir, 'recordings'))).toEqual([]);
  expect(await readdir(join(test.dataDir, 'tapes')).catch(() => [])).toEqual([]);
  expect(test.log()).toContain('tape skipped, disk below low-water mark');
  expect(test.log()).toContain('recording incomplete');
});
