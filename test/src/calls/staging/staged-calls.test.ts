import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import { StagedCalls } from '../../../../src/calls/staging/staged-calls.ts';

const WALL_MS = Date.parse('2026-11-20T12:00:00Z');
const CALL = {
  id: 'call-1',
  agentId: 'agent-1',
  agentVersion: 1,
  type: 'phone_call' as const,
  agentOverrides: null,
  nodeId: null,
};

/** Staging with a repository of one call. `sweeps` records the times of its sweeps. */
function stagingOf(prepare: () => Promise<void> = async () => {}) {
  const clock = new SimulatedClock(WALL_MS);
  const row = { status: 'initiated', deadlineMs: 0 };
  const sweeps: number[] = [];
  const faults: string[] = [];
  const staging = new StagedCalls({
    clock,
    prepare,
    nodeId: null,
    calls: {
      find: async () => null,
      setStatus: async (_id, change) => {
        if (row.status !== 'initiated') return false;
        row.status = change.to;
        row.deadlineMs = change.patch?.stagingDeadlineMs ?? 0;
        return true;
      },
      finish: async (_id, end) => {
        row.status = end.status;
        return true;
      },
      expireStaged: async (nowMs) => {
        sweeps.push(nowMs - WALL_MS);
        if (row.status !== 'staged' || row.deadlineMs > nowMs) return [];
        row.status = 'no_answer';
        return [CALL.id];
      },
    },
    onStored: () => {},
    onFault: (_id, message) => faults.push(message),
  });
  return { clock, row, staging, sweeps, faults };
}

/** Waits for promises that do not depend on the simulated clock. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('staging', () => {
  it('ends a call that no INVITE claims at exactly 60 s, not a millisecond before', async () => {
    const { clock, row, staging, sweeps } = stagingOf();
    expect(await staging.begin(CALL)).toEqual({ type: 'staged' });
    clock.runUntil(59_999);
    await settled();
    expect({ status: row.status, sweeps }).toEqual({ status: 'staged', sweeps: [] });
    clock.runUntil(60_000);
    await settled();
    expect({ status: row.status, sweeps }).toEqual({ status: 'no_answer', sweeps: [60_000] });
  });

  it('sweeps once for all calls with the same deadline', async () => {
    const { clock, row, staging, sweeps } = stagingOf();
    Object.assign(row, { status: 'staged', deadlineMs: WALL_MS + 20_000 });
    for (let index = 0; index < 50; index += 1) staging.watch(`call-${index}`, row.deadlineMs);
    clock.runUntil(20_000);
    await settled();
    expect({ status: row.status, sweeps }).toEqual({ status: 'no_answer', sweeps: [20_000] });
  });

  it('stops its timer once the call is claimed', async () => {
    const { clock, row, staging, sweeps } = stagingOf();
    await staging.begin(CALL);
    row.status = 'ringing';
    staging.forget(CALL.id);
    clock.runUntil(120_000);
    await settled();
    expect({ status: row.status, sweeps }).toEqual({ status: 'ringing', sweeps: [] });
  });

  it('keeps the deadline of a call that an earlier process staged', async () => {
    const { clock, row, staging } = stagingOf();
    Object.assign(row, { status: 'staged', deadlineMs: WALL_MS + 20_000 });
    staging.watch(CALL.id, row.deadlineMs);
    clock.runUntil(19_999);
    await settled();
    expect(row.status).toBe('staged');
    clock.runUntil(20_000);
    await settled();
    expect(row.status).toBe('no_answer');
  });

  it('fails a call whose preparation fails, with the reason', async () => {
    const { row, staging, faults } = stagingOf(() => Promise.reject(new Error('voice nobody is not one of deepgram')));
    expect(await staging.begin(CALL)).toEqual({ type: 'failed', message: 'voice nobody is not one of deepgram' });
    expect({ status: row.status, faults }).toEqual({
      status: 'failed',
      faults: ['voice nobody is not one of deepgram'],
    });
  });

  it('lets an early INVITE wait for the preparation of its call, at most 10 s', async () => {
    const ready = Promise.withResolvers<void>();
    const { staging } = stagingOf(() => ready.promise);
    void staging.begin(CALL);
    const early = staging.settled(CALL);
    ready.resolve();
    expect(await early).toBe(true);
    expect(await staging.settled(CALL), 'after the preparation').toBe(true);

    const never = stagingOf(() => new Promise(() => {}));
    void never.staging.begin(CALL);
    const late = never.staging.settled(CALL);
    never.clock.runUntil(10_000);
    expect(await late).toBe(false);
  });
});
