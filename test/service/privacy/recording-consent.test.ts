import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { textAnswer } from '../../providers/openai/chat-script.ts';
import { makeTone } from '../../rtp-peer/tone.ts';
import { heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { startServiceProcess } from '../rig/service-process.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { startTestService } from '../rig/test-service.ts';

const ANNOUNCEMENT = 'This call is recorded. Press nine if you refuse.';
const ASKING = {
  recording_consent: { announcement: ANNOUNCEMENT, refusal_digit: '9' },
  recording: true,
  record_tape: true,
};
const LATER = 'I am still here.';

const filesOf = async (folder: string) => (await readdir(folder).catch(() => [])).toSorted();

it.each(['0', '2'])(
  'with %s call hosts a recording refusal by a digit deletes recording, tape and transcript, and nothing more is kept',
  async (hosts) => {
    const providers = await startEmulatedProviders({ chat: () => textAnswer('I have deleted it.') });
    onTestFinished(() => providers.close());
    const test = await startTestService({ ...providers.environment, CALL_HOSTS: hosts });
    onTestFinished(() => test.close());
    const { id } = await test.api.createAgent(talker({ ...ASKING, initial_message: '' }));
    const refused = Promise.withResolvers<void>();
    const { callId, hangUp, said } = await dialIn(test, id, {
      audio: makeTone(440, 60_000),
      pace: 'peer',
      dtmf: [{ at: refused.promise, digits: '9' }],
    });
    await said(ANNOUNCEMENT);
    const folders = ['recordings', 'tapes'].map((name) => join(test.dataDir, name));
    const [recordings = '', tapes = ''] = folders;
    await eventually(async () => expect(await filesOf(recordings)).toEqual([`${callId}.wav`]));
    expect(await filesOf(tapes)).toEqual([callId]);
    refused.resolve();
    await eventually(async () => expect((await test.api.call(callId)).recording_consent).toBe('refused'));
    await eventually(async () => expect(await Promise.all(folders.map(filesOf))).toEqual([[], []]));
    await test.api.send('POST', `/v1/calls/${callId}/say`, { text: LATER, interruptible: false });
    await eventually(async () => {
      const { transcript } = await test.api.call(callId);
      expect(transcript?.filter(({ content }) => content === '[not recorded]').length).toBeGreaterThan(1);
    });
    await hangUp();
    const call = await test.api.callIn(callId, ['completed']);
    const texts = new Set(call.transcript?.map(({ content }) => content));
    expect([...texts]).toEqual(['[not recorded]']);
    expect(JSON.stringify(providers.openai.requests)).toContain('refused the recording');
    const { recording_consent: consent, recording_unavailable_reason: reason, recording_url: url } = call;
    expect([consent, url, reason]).toEqual(['refused', null, 'refused']);
    await test.service.stop(0);
    expect(await Promise.all(folders.map(filesOf))).toEqual([[], []]);
  },
);

it('a recording refusal by words keeps the transcript if the agent says so', async () => {
  const providers = await startEmulatedProviders({
    listen: { steps: heardLine('Please do not record this.', 1_000, 3_000) },
    chat: () => textAnswer('I have deleted it.'),
  });
  onTestFinished(() => providers.close());
  const test = await startTestService(providers.environment);
  onTestFinished(() => test.close());
  const consent = { ...ASKING.recording_consent, keep_transcript: true };
  const { id } = await test.api.createAgent(talker({ ...ASKING, initial_message: '', recording_consent: consent }));
  const { callId, hangUp, said } = await dialIn(test, id, {
    audio: makeTone(440, 60_000),
    pace: 'peer',
    speaksAfter: ANNOUNCEMENT,
  });
  await said('I have deleted it.');
  await hangUp();
  const call = await test.api.callIn(callId, ['completed']);
  expect(call.recording_consent).toBe('refused');
  const lines = call.transcript?.map(({ content }) => content);
  expect(lines).toEqual(expect.arrayContaining([ANNOUNCEMENT, 'Please do not record this.', 'I have deleted it.']));
  await test.service.stop(0);
  expect(await filesOf(join(test.dataDir, 'recordings'))).toEqual([]);
  expect(await filesOf(join(test.dataDir, 'tapes'))).toEqual([]);
});

it('a process that is killed after a recording refusal leaves no recording', async () => {
  const providers = await startEmulatedProviders({ chat: () => textAnswer('I have deleted it.') });
  onTestFinished(() => providers.close());
  const first = await startServiceProcess({ ...providers.environment });
  onTestFinished(() => first.kill());
  const { id } = await first.api.createAgent(talker({ ...ASKING, initial_message: '' }));
  const refused = Promise.withResolvers<void>();
  const { callId, said } = await dialIn(first, id, {
    audio: makeTone(440, 60_000),
    pace: 'peer',
    dtmf: [{ at: refused.promise, digits: '9' }],
  });
  await said(ANNOUNCEMENT);
  refused.resolve();
  await eventually(async () => expect((await first.api.call(callId)).recording_consent).toBe('refused'));
  await first.kill();
  const second = await startServiceProcess({ ...providers.environment, DATA_DIR: first.dataDir });
  onTestFinished(async () => {
    await second.stop();
    await rm(first.dataDir, { recursive: true, force: true });
  });
  const call = await second.api.callIn(callId, ['completed']);
  expect([call.recording_consent, call.recording_url]).toEqual(['refused', null]);
  expect(await filesOf(join(first.dataDir, 'recordings'))).toEqual([]);
});
