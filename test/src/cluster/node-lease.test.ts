import pino from 'pino';
import { expect, it } from 'vitest';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import { FENCE_MARGIN_MS, LEASE_MS, LONE_LEASE_MS, NodeLease } from '../../../src/cluster/node-lease.ts';
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
  recordingConsent: null,
  secureRecording: false,
  recordingToken: '',
  metrics: null,
  slowestResponseMs: null,
  deletedMs: null,
  nodeId: 'dead',
  traceparent: null,
  webTokenHash: null,
};

/** Runs renewals one by one, each to its end. */
async function runBeats(clock: SimulatedClock, untilMs: number): Promise<void> {
  for (let nowMs = clock.nowUs() / 1_000; nowMs < untilMs; ) {
    nowMs = Math.min(untilMs, nowMs + BEAT_MS);
    clock.runUntil(nowMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A node with a database that the test can disconnect. */
function leaseOf() {
  const clock = new SimulatedClock();
  const database = {
    isThere: true,
    leads: true,
    looks: 0,
    left: 0,
    resigned: 0,
    failsLooks: false,
    hasOthers: true,
    hadExpired: false,
    /** Duration of the last stored lease. */
    leaseMs: 0,
  };
  /** Holds the answer to a renewal or to a request for the lead back. */
  const slow: { renewal: Promise<boolean> | null; lead: Promise<boolean> | null } = { renewal: null, lead: null };
  const notified = { leader: 0, beats: 0, renewals: 0, expirations: 0, regained: 0 };
  /** Calls of a dead node, a gate for closing them, and the call that cannot be closed. */
  const dead = { calls: 0, closing: 0, closed: Promise.resolve(), faultyId: '' };
  /** The outcomes of the duties of each beat, and of the query of calls that other nodes have closed. */
  const duties = { done: Promise.resolve(), adopted: Promise.resolve() };
  const answer = <T>(value: T): Promise<T> =>
    database.isThere ? Promise.resolve(value) : Promise.reject(new Error('the database is unreachable'));
  const lease = new NodeLease({
    nodeId: 'one',
    nodes: {
      renew: (_nodeId, leaseMs) => {
        notified.renewals += 1;
        if (database.isThere) database.leaseMs = leaseMs;
        return slow.renewal ?? answer(!database.hadExpired);
      },
      lead: () => slow.lead ?? answer(database.leads),
      hasOthers: () => answer(database.hasOthers),
      resign: async () => {
        database.resigned += 1;
      },
      leave: async () => {
        database.left += 1;
      },
      orphanedCalls: () => {
        database.looks += 1;
        if (database.failsLooks) return Promise.reject(new Error('the query failed'));
        return answer(Array.from({ length: dead.calls }, (_, nth) => ({ ...LOST, id: `lost ${nth}` })));
      },
    },
    clock,
    log: pino({ level: 'silent' }),
    onLost: ({ id }) => {
      dead.closing += 1;
      return id === dead.faultyId ? Promise.reject(new Error('the row is damaged')) : dead.closed;
    },
    onBeat: () => {
      notified.beats += 1;
      return duties.done;
    },
    onLead: () => {
      notified.leader += 1;
    },
    onExpiring: () => {
      notified.expirations += 1;
    },
    onRegained: async () => {
      notified.regained += 1;
      await duties.adopted;
    },
  });
  const runUntil = (untilMs: number) => runBeats(clock, untilMs);
  return { clock, database, dead, duties, lease, runUntil, notified, slow };
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

const SERVED_MS = LEASE_MS - FENCE_MARGIN_MS;

it('a node that cannot renew its lease ends its calls a margin before the lease expires, and again while it has none', async () => {
  const { database, lease, runUntil, notified } = leaseOf();
  await lease.start();
  database.isThere = false;
  await runUntil(SERVED_MS - 1);
  expect([lease.holds, notified.expirations]).toEqual([true, 0]);
  await runUntil(SERVED_MS);
  expect([lease.holds, notified.expirations > 0]).toEqual([false, true]);
  const { expirations } = notified;
  await runUntil(LEASE_MS);
  expect(notified.expirations, 'for calls that began meanwhile').toBeGreaterThan(expirations);
});

it('a node counts its lease from before the query, not from its answer', async () => {
  const { database, lease, runUntil, notified, slow } = leaseOf();
  await lease.start();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  slow.renewal = promise;
  await runUntil(SERVED_MS - 1);
  resolve(true);
  slow.renewal = null;
  await new Promise((done) => setImmediate(done));
  database.isThere = false;
  await runUntil(BEAT_MS + SERVED_MS - 1);
  expect([lease.holds, notified.expirations]).toEqual([true, 0]);
  await runUntil(BEAT_MS + SERVED_MS);
  expect([lease.holds, notified.expirations > 0]).toEqual([false, true]);
});

const SERVED_ALONE_MS = LONE_LEASE_MS - FENCE_MARGIN_MS;

it('a node that sees no other has a longer lease, and ends its calls a margin before that expires, too', async () => {
  const { database, lease, runUntil, notified } = leaseOf();
  database.hasOthers = false;
  await lease.start();
  expect(database.leaseMs).toBe(LONE_LEASE_MS);
  database.isThere = false;
  await runUntil(SERVED_ALONE_MS - 1);
  expect([lease.holds, notified.expirations]).toEqual([true, 0]);
  await runUntil(SERVED_ALONE_MS);
  expect([lease.holds, notified.expirations > 0], 'another node may have started').toEqual([false, true]);
  database.isThere = true;
  database.hadExpired = true;
  await runUntil(SERVED_ALONE_MS + BEAT_MS);
  expect([lease.holds, notified.regained > 0]).toEqual([true, true]);
});

it('a node that sees another serves no longer than the short lease, even if the answer to its renewal is lost', async () => {
  const { database, lease, runUntil, notified, slow } = leaseOf();
  database.hasOthers = false;
  await lease.start();
  database.hasOthers = true;
  slow.renewal = Promise.reject(new Error('the connection was closed'));
  await runUntil(BEAT_MS);
  expect(database.leaseMs, 'the lease was stored').toBe(LEASE_MS);
  slow.renewal = null;
  database.isThere = false;
  await runUntil(BEAT_MS + SERVED_MS - 1);
  expect([lease.holds, notified.expirations]).toEqual([true, 0]);
  await runUntil(BEAT_MS + SERVED_MS);
  expect([lease.holds, notified.expirations > 0]).toEqual([false, true]);
});

it('a node whose lease had expired looks for calls that others have closed until that succeeds', async () => {
  const { database, duties, lease, runUntil, notified } = leaseOf();
  await lease.start();
  database.hadExpired = true;
  duties.adopted = Promise.reject(new Error('the query failed'));
  await runUntil(BEAT_MS);
  database.hadExpired = false;
  await runUntil(2 * BEAT_MS);
  const tries = notified.regained;
  expect(tries).toBeGreaterThan(1);
  duties.adopted = Promise.resolve();
  await runUntil(3 * BEAT_MS);
  expect(notified.regained).toBe(tries + 1);
  await runUntil(5 * BEAT_MS);
  expect(notified.regained).toBe(tries + 1);
});

it('a node renews its lease while the query of calls that others have closed stands still, and repeats it only after the next loss', async () => {
  const { database, duties, lease, runUntil, notified } = leaseOf();
  await lease.start();
  const { promise, resolve } = Promise.withResolvers<void>();
  duties.adopted = promise;
  database.hadExpired = true;
  await runUntil(BEAT_MS);
  database.hadExpired = false;
  await runUntil(2 * LEASE_MS);
  expect([lease.holds, lease.leads, notified.regained, notified.expirations]).toEqual([true, true, 1, 0]);
  // Lost once more while the query ran: its answer may be older than that.
  database.hadExpired = true;
  await runUntil(2 * LEASE_MS + BEAT_MS);
  database.hadExpired = false;
  resolve();
  await runUntil(2 * LEASE_MS + 3 * BEAT_MS);
  expect(notified.regained).toBe(2);
});

it('a node closes no calls of others for one lease after its own had expired', async () => {
  const { database, lease, runUntil } = leaseOf();
  await lease.start();
  await runUntil(LEASE_MS);
  expect(database.looks).toBe(1);
  database.hadExpired = true;
  await runUntil(LEASE_MS + BEAT_MS);
  database.hadExpired = false;
  await runUntil(2 * LEASE_MS);
  expect(database.looks).toBe(1);
  await runUntil(2 * LEASE_MS + BEAT_MS);
  expect(database.looks).toBe(2);
});

it('a node that resigns leaves the lead to another node, and keeps it while there is none', async () => {
  const { database, lease, runUntil } = leaseOf();
  await lease.start();
  await lease.resign();
  await runUntil(LEASE_MS);
  expect([lease.leads, lease.holds, database.resigned]).toEqual([false, true, 1]);
  database.hasOthers = false;
  await runUntil(LEASE_MS + BEAT_MS);
  expect(lease.leads).toBe(true);
});

it('a node that resigns while it takes the lead does not lead, and ends the lease of the leader after it took it', async () => {
  const { database, lease, runUntil, notified, slow } = leaseOf();
  database.leads = false;
  await lease.start();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  slow.lead = promise;
  await runUntil(BEAT_MS);
  const resigned = lease.resign();
  await new Promise((done) => setImmediate(done));
  expect(database.resigned, 'the lead would be taken afterwards').toBe(0);
  resolve(true);
  await resigned;
  expect([lease.leads, notified.leader, database.resigned]).toEqual([false, 0, 1]);
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

it('a node renews its lease and does its duties while it closes the calls of a dead node, a few at a time', async () => {
  const { database, dead, lease, runUntil, notified } = leaseOf();
  const { promise, resolve } = Promise.withResolvers<void>();
  dead.calls = 50;
  dead.closed = promise;
  await lease.start();
  await runUntil(3 * LEASE_MS);
  const beats = (3 * LEASE_MS) / BEAT_MS;
  expect([notified.renewals, notified.beats]).toEqual([1 + beats, beats]);
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

it('an orphaned call that cannot be closed delays no other, and is found again at the next beat', async () => {
  const { database, dead, lease, runUntil } = leaseOf();
  dead.calls = 50;
  dead.faultyId = 'lost 0';
  await lease.start();
  await runUntil(LEASE_MS);
  expect([database.looks, dead.closing]).toEqual([1, 50]);
  await runUntil(LEASE_MS + BEAT_MS);
  expect([database.looks, dead.closing]).toEqual([2, 100]);
});

it('a node whose query of orphaned calls failed closes none for one lease', async () => {
  const { database, lease, runUntil } = leaseOf();
  database.failsLooks = true;
  await lease.start();
  await runUntil(LEASE_MS);
  database.failsLooks = false;
  await runUntil(2 * LEASE_MS - BEAT_MS);
  expect(database.looks).toBe(1);
  await runUntil(2 * LEASE_MS);
  expect(database.looks).toBe(2);
});

it('the duties of a beat neither overlap nor delay the adoption, and are repeated after they failed', async () => {
  const { database, duties, lease, runUntil, notified } = leaseOf();
  const { promise, reject } = Promise.withResolvers<void>();
  duties.done = promise;
  await lease.start();
  await runUntil(LEASE_MS);
  expect([notified.beats, database.looks]).toEqual([1, 1]);
  reject(new Error('the registrations could not be read'));
  duties.done = Promise.resolve();
  await runUntil(LEASE_MS + 2 * BEAT_MS);
  expect([notified.beats, database.looks]).toEqual([3, 3]);
});
