import pino from 'pino';
import { expect, it } from 'vitest';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import { LEASE_MS, NodeLease } from '../../../src/cluster/node-lease.ts';
import type { CallRecord } from '../../../src/storage/calls/call-record.ts';

const BEAT_MS = 3_000;
const LOST: CallRecord = {
  id: 'lost',
  organizationId: 'organization',
  agentId: 'agent',
  agentVersion: 1,
  type: 'phone_call',
  direction: 'inbound',
  status: 'in_progress',
  fromNumber: null,
  toNumber: null,
  metadata: {},
  dynamicVariables: {},
  agentOverrides: null,
  listedUs: 0,
  createdMs: 0,
  stagingDeadlineMs: null,
  startMs: 0,
  endMs: null,
  endReason: null,
  redirectTarget: null,
  answerType: null,
  redirectDurationSeconds: 0,
  cost: 0,
  sipCallId: null,
  dialog: null,
  bridgedDialog: null,
  recordingPath: null,
  recordingComplete: null,
  secureRecording: false,
  recordingToken: '',
  metrics: null,
  deletedMs: null,
  nodeId: 'dead',
  traceparent: null,
  webTokenHash: null,
};

/** A node with a database that the test can disconnect. */
function leaseOf() {
  const clock = new SimulatedClock();
  const database = { isThere: true, leads: true, looks: 0, left: 0 };
  const notified = { leader: 0, beats: 0, renewals: 0 };
  /** Calls of a dead node, and a gate for closing them. */
  const dead = { calls: 0, closing: 0, closed: Promise.resolve() };
  const answer = <T>(value: T): Promise<T> =>
    database.isThere ? Promise.resolve(value) : Promise.reject(new Error('the database is unreachable'));
  const lease = new NodeLease({
    nodeId: 'one',
    nodes: {
      renew: () => {
        notified.renewals += 1;
        return answer(undefined);
      },
      lead: () => answer(database.leads),
      leave: async () => {
        database.left += 1;
      },
      lostCalls: () => {
        database.looks += 1;
        return answer(Array.from({ length: dead.calls }, () => LOST));
      },
    },
    clock,
    log: pino({ level: 'silent' }),
    onLost: () => {
      dead.closing += 1;
      return dead.closed;
    },
    onBeat: async () => {
      notified.beats += 1;
    },
    onLead: () => {
      notified.leader += 1;
    },
  });
  /** Runs renewals one by one, each to its end. */
  const runUntil = async (untilMs: number) => {
    for (let nowMs = clock.nowUs() / 1_000; nowMs < untilMs; ) {
      nowMs = Math.min(untilMs, nowMs + BEAT_MS);
      clock.runUntil(nowMs);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { clock, database, dead, lease, runUntil, notified };
}

it('a node closes no orphaned calls before it has held its lease for one period, also after a database outage', async () => {
  const { database, lease, runUntil, notified } = leaseOf();
  await lease.start();
  await runUntil(LEASE_MS - BEAT_MS);
  expect({ looks: database.looks, beats: notified.beats }).toEqual({ looks: 0, beats: 4 });
  await runUntil(LEASE_MS);
  expect(database.looks).toBe(1);
  database.isThere = false;
  await runUntil(LEASE_MS + 2 * BEAT_MS);
  database.isThere = true;
  await runUntil(2 * LEASE_MS + BEAT_MS);
  expect(database.looks).toBe(1);
  await runUntil(2 * LEASE_MS + 2 * BEAT_MS);
  expect(database.looks).toBe(2);
});

it('a node leads the background work only during its lease, and is notified when it becomes leader again', async () => {
  const { database, lease, runUntil, notified } = leaseOf();
  await lease.start();
  expect(lease.leads).toBe(true);
  database.isThere = false;
  await runUntil(LEASE_MS - 1);
  expect(lease.leads).toBe(true);
  await runUntil(LEASE_MS);
  expect(lease.leads).toBe(false);
  database.isThere = true;
  database.leads = false;
  await runUntil(LEASE_MS + 2 * BEAT_MS);
  expect({ leads: lease.leads, leader: notified.leader }).toEqual({ leads: false, leader: 1 });
  database.leads = true;
  await runUntil(LEASE_MS + 4 * BEAT_MS);
  expect({ leads: lease.leads, leader: notified.leader }).toEqual({ leads: true, leader: 2 });
});

it('a stopping node releases its lease and leadership, and renews nothing', async () => {
  const { database, lease, runUntil, notified } = leaseOf();
  await lease.start();
  await lease.stop();
  await runUntil(LEASE_MS);
  expect({ left: database.left, leads: lease.leads, beats: notified.beats }).toEqual({
    left: 1,
    leads: false,
    beats: 0,
  });
});

it('a node renews its lease while it closes the calls of a dead node, a few at a time', async () => {
  const { database, dead, lease, runUntil, notified } = leaseOf();
  const { promise, resolve } = Promise.withResolvers<void>();
  dead.calls = 50;
  dead.closed = promise;
  await lease.start();
  await runUntil(3 * LEASE_MS);
  expect(notified.renewals).toBe(1 + (3 * LEASE_MS) / BEAT_MS);
  expect({ leads: lease.leads, looks: database.looks, closing: dead.closing }).toEqual({
    leads: true,
    looks: 1,
    closing: 20,
  });
  resolve();
  await runUntil(3 * LEASE_MS + BEAT_MS);
  expect({ looks: database.looks, closing: dead.closing }).toEqual({ looks: 1, closing: 50 });
  dead.calls = 0;
  await runUntil(3 * LEASE_MS + 2 * BEAT_MS);
  expect(database.looks).toBe(2);
});
