import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTape } from '../../../engine/tape/tape-file.ts';
import { terminateSipServer, terminateThread } from '../../worker-threads.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

/** More than two seconds of speech: long enough to replace a worker during it. */
const GREETING = 'Hello, this greeting continues for a while.';

describe('a worker that exits', () => {
  let providers: EmulatedProviders;
  let test: TestService;
  let agentId: string;

  beforeAll(async () => {
    providers = await startEmulatedProviders();
    test = await startTestService(providers.environment);
    agentId = (await test.api.createAgent(talker({ initial_message: GREETING }))).id;
  });
  afterAll(async () => {
    await test?.close();
    await providers?.close();
  });

  it('of the SIP server ends its calls as sip_error with a BYE, and the next call is answered', async () => {
    const first = await dialIn(test, agentId);
    await eventually(async () => expect((await test.api.call(first.callId)).transcript).not.toEqual([]));
    const recording = join(test.dataDir, 'recordings', `${first.callId}.wav`);
    await eventually(() => expect(statSync(recording).size).toBeGreaterThan(8_000));
    await terminateSipServer();

    const ended = await test.api.callIn(first.callId, ['completed']);
    expect(ended.end_reason).toBe('sip_error');
    expect(ended.transcript?.[0]?.role).toBe('agent');
    const report = await first.report;
    expect(report.endedBy, report.ladder.join('\n')).toBe('callee');
    expect(statSync(recording).size).toBeGreaterThan(8_000);

    const next = await dialIn(test, agentId, { hangUp: { afterMs: 300 } });
    await next.report;
    expect((await test.api.callIn(next.callId, ['completed'])).end_reason).toBe('caller_hangup');
    await eventually(() => expect(test.service.liveCalls()).toBe(0));
  });

  it('of the media plane, also several times in a row, truncates no agent speech', async () => {
    const { callId, said, hangUp } = await dialIn(test, agentId);
    await eventually(async () => expect((await test.api.call(callId)).transcript).not.toEqual([]));
    // After two early exits the next successor starts a second later: after the deadline of the playout watchdog.
    const [worker] = test.service.media.workers;
    for (let exits = 0; exits < 4; exits++) {
      await eventually(() => expect(worker?.threadId).not.toBeNull());
      await terminateThread(worker?.threadId);
    }
    await said(GREETING);
    const { rtp } = await hangUp();
    expect(rtp.restarts).toBe(1);
    expect(rtp.longestGapMs).toBeGreaterThan(2_000);
    expect((await test.api.callIn(callId, ['completed'])).transcript).toMatchObject([
      { role: 'agent', content: GREETING, interrupted: false },
    ]);
  });

  it('of the media plane loses less than a second of audio, besides the start of its successor', async () => {
    const { callId, said, hangUp } = await dialIn(test, agentId);
    await eventually(async () => expect((await test.api.call(callId)).transcript).not.toEqual([]));
    await terminateThread(test.service.media.workers[0]?.threadId);
    await said(GREETING);
    const { rtp, endedBy } = await hangUp();
    expect(endedBy).toBe('caller');
    expect(rtp.restarts, 'the stream continues with a new SSRC').toBe(1);
    expect((await test.api.callIn(callId, ['completed'])).end_reason).toBe('caller_hangup');
    // The load time of the next worker depends on the machine.
    expect(rtp.longestGapMs).toBeLessThan((await suspendedMs(callId)) + 1_000);
  });

  /** Duration of the suspension of the call's media, from its tape. */
  async function suspendedMs(callId: string): Promise<number> {
    const { entries } = parseTape(await readFile(join(test.dataDir, 'tapes', callId, 'tape.jsonl'), 'utf8'));
    const atUs = (type: string) => entries.find(({ event }) => event.type === type)?.atUs ?? 0;
    expect(atUs('media.suspended')).toBeGreaterThan(0);
    return (atUs('media.restored') - atUs('media.suspended')) / 1_000;
  }
});
