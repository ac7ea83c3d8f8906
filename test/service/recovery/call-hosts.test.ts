import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { freeSipPort } from '../../peers/sip-port.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { type EventReceiver, startEventReceiver } from '../rig/event-receiver.ts';
import { eventually } from '../rig/eventually.ts';
import { startServiceProcess } from '../rig/service-process.ts';
import { dialIn, type StagedCall, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

const GREETING = 'Hello, this greeting continues for a while, so that there is something to hear.';
const CALLS = 4;
/** A host that hangs is found three seconds after its last beat; the rest is for a busy machine. */
const HANG_FOUND_MS = 20_000;
const started = z.looseObject({ msg: z.literal('call host started'), host: z.number(), pid: z.number() });
const exited = z.looseObject({ msg: z.literal('call host exited'), pid: z.number(), legs: z.number() });

describe('a call host', () => {
  let providers: EmulatedProviders;
  let hooks: EventReceiver;
  let test: TestService;
  let agentId: string;

  beforeAll(async () => {
    providers = await startEmulatedProviders();
    hooks = await startEventReceiver();
    test = await startTestService({ ...providers.environment, CALL_HOSTS: '2' });
    const webhook = { webhook_url: hooks.url, webhook_subscriptions: ['event_call_ended', 'event_recording_ready'] };
    agentId = (await test.api.createAgent(talker({ initial_message: GREETING, recording: true, ...webhook }))).id;
  });
  afterAll(async () => {
    await test?.close();
    await hooks?.close();
    await providers?.close();
  });

  /** The log lines with this message. */
  function logged<T>(shape: z.ZodType<T>, message: string): readonly T[] {
    const lines = test
      .log()
      .split('\n')
      .filter((line) => line.includes(`"msg":"${message}"`));
    return lines.map((line) => shape.parse(JSON.parse(line)));
  }

  /** The process ids of the hosts, by their number. */
  function pids(): ReadonlyMap<number, number> {
    return new Map(logged(started, 'call host started').map(({ host, pid }) => [host, pid]));
  }

  /** The number of calls of a host that has exited. */
  async function legsOf(pid: number): Promise<number> {
    await eventually(
      () => expect(logged(exited, 'call host exited').map((line) => line.pid)).toContain(pid),
      HANG_FOUND_MS,
    );
    return logged(exited, 'call host exited').find((line) => line.pid === pid)?.legs ?? 0;
  }

  async function audible(callId: string): Promise<void> {
    const recording = join(test.dataDir, 'recordings', `${callId}.wav`);
    await eventually(() => expect(statSync(recording).size).toBeGreaterThan(8_000));
    await eventually(async () => expect((await test.api.call(callId)).transcript).not.toEqual([]));
  }

  /** Calls whose agents are heard, in both hosts: they take turns, unless one of them is overloaded. */
  async function talking(): Promise<readonly StagedCall[]> {
    const calls: StagedCall[] = [];
    for (let nth = 0; nth < CALLS; nth++) calls.push(await dialIn(test, agentId));
    await Promise.all(calls.map(({ callId }) => audible(callId)));
    return calls;
  }

  /** Ends one host by the signal, and waits until its calls have ended. */
  async function lose(signal: 'SIGKILL' | 'SIGSTOP', calls: readonly StagedCall[]) {
    const before = pids();
    const [[host, pid] = [0, 0]] = before;
    process.kill(pid, signal);
    const legs = await legsOf(pid);
    expect(legs).toBeGreaterThan(0);
    expect(legs).toBeLessThan(CALLS);
    await eventually(async () => {
      const statuses = await Promise.all(calls.map(async ({ callId }) => (await test.api.call(callId)).status));
      expect(statuses.filter((status) => status === 'completed')).toHaveLength(legs);
    });
    await eventually(() => expect(pids().get(host)).not.toBe(before.get(host)));
    const ended = await Promise.all(calls.map(async (one) => ({ one, call: await test.api.call(one.callId) })));
    return {
      lost: ended.filter(({ call }) => call.status === 'completed'),
      others: ended.filter(({ call }) => call.status !== 'completed'),
    };
  }

  it.each(['SIGKILL', 'SIGSTOP'] as const)(
    'that gets %s ends its calls alone, once each, and a successor takes calls',
    async (signal) => {
      const calls = await talking();
      const { lost, others } = await lose(signal, calls);
      for (const { call, one } of lost) {
        expect(call.end_reason).toBe('internal_error');
        expect(call.transcript?.[0]).toMatchObject({ role: 'agent' });
        expect(call.recording_url).not.toBeNull();
        const report = await one.report;
        expect(report.endedBy, report.ladder.join('\n')).toBe('callee');
        await eventually(() => {
          const types = hooks.arrivals.filter((event) => event.call_id === one.callId).map(({ type }) => type);
          expect(types.toSorted()).toEqual(['event_call_ended', 'event_recording_ready']);
        });
      }
      for (const { one } of others) {
        await one.said(GREETING);
        const report = await one.hangUp();
        expect(report.endedBy).toBe('caller');
        expect(report.rtp).toMatchObject({ lost: 0, restarts: 0 });
        expect((await test.api.callIn(one.callId, ['completed'])).end_reason).toBe('caller_hangup');
      }
      const next = await Promise.all([dialIn(test, agentId), dialIn(test, agentId)]);
      for (const { hangUp, said } of next) {
        await said(GREETING);
        await hangUp();
      }
      await eventually(() => expect(test.service.liveCalls()).toBe(0));
    },
  );
});

describe('the call hosts of a service that is killed', () => {
  it('exit, so that they leave no ghost leg and no port, and the next start ends their calls', async () => {
    const providers = await startEmulatedProviders();
    onTestFinished(() => providers.close());
    const environment = { ...providers.environment, CALL_HOSTS: '2', SIP_PORT: String(await freeSipPort()) };
    const first = await startServiceProcess(environment);
    onTestFinished(() => first.kill());
    const pids = [...first.output().matchAll(/call host started.*?pid\D*(\d+)|"pid":(\d+).*?call host started/g)];
    const processes = pids.map(([, one, other]) => Number(one ?? other));
    expect(processes).toHaveLength(2);
    const { id } = await first.api.createAgent(talker());
    const { callId, report } = await dialIn(first, id);
    await first.kill();
    for (const pid of processes) await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
    const second = await startServiceProcess({ ...environment, DATA_DIR: first.dataDir });
    onTestFinished(() => second.kill());
    expect((await report).endedBy).toBe('callee');
    expect((await second.api.callIn(callId, ['completed'])).end_reason).toBe('shutdown');
  });
});
