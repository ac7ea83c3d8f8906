import { randomBytes, randomUUID } from 'node:crypto';
import pino from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import type { LiveRequest } from '../../../engine/core/event.ts';
import type { EndOutcome, NodeDuties, ThisNode } from '../../../src/cluster/node.ts';
import { openNode } from '../../../src/cluster/open-node.ts';
import { createCallRepository } from '../../../src/storage/calls/call-repository.ts';
import { type NodeMessage, PostgresBus } from '../../../src/storage/cluster/node-bus.ts';
import { DatabaseError } from '../../../src/storage/link/database-error.ts';
import { administrate } from '../../postgres/server.ts';
import { hasPostgres, temporaryPostgresUrl } from '../../postgres/temporary-postgres.ts';
import { newCall, START_MS, storeAgent, temporaryFolder, temporaryPostgres } from '../storage/temporary-database.ts';

/** A clock that runs 50 times faster than real time. */
const CLOCK = {
  nowUs: () => Math.round(performance.now() * 1000),
  wallMs: () => Date.now(),
  after: (delayMs: number, callback: () => void) => {
    const timer = setTimeout(callback, delayMs / 50);
    return () => clearTimeout(timer);
  },
};
const SAY_REQUEST: LiveRequest = {
  type: 'call.say',
  text: `${'é'.repeat(9_000)}«${randomBytes(4).toString('hex')}»`,
  interrupt: true,
};

async function node(databaseUrl: string): Promise<ThisNode> {
  const dataDir = await temporaryFolder();
  const one = await openNode({ dataDir, databaseUrl }, CLOCK, pino({ level: 'silent' }));
  onTestFinished(() => one.close());
  return one;
}

const IDLE: NodeDuties = {
  wake: () => undefined,
  terminate: async () => undefined,
  isLive: () => false,
  post: () => undefined,
  endCalls: () => undefined,
  endAdopted: async () => undefined,
  closeOrphaned: async () => undefined,
  expireStaged: async () => undefined,
  syncRegistrations: async () => undefined,
  reloadTrunks: async () => undefined,
  reports: () => [],
};

describe.skipIf(!hasPostgres())('a request to a call', () => {
  /** A live call of node `two`, and node `one`, which gets the requests. */
  async function callOfAnother(isLive = true) {
    const url = await temporaryPostgresUrl();
    const [one, two] = [await node(url), await node(url)];
    const posted: unknown[] = [];
    await one.join({ ...IDLE, isLive: () => true, post: () => posted.push('at the wrong node') });
    await two.join({ ...IDLE, isLive: () => isLive, post: (callId, request) => posted.push({ callId, request }) });
    await two.repositories.organizations.ensureDefault(Date.now());
    const call = newCall(await storeAgent(two.database), { status: 'in_progress' });
    await two.repositories.calls.createCall(call);
    const record = await one.repositories.calls.find(call.id);
    if (record === null) throw new Error('the call was stored');
    return { url, one, two, posted, call: record };
  }

  it('for another node reaches that node once, at any length', async () => {
    const { one, two, posted, call } = await callOfAnother();
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => one.postElsewhere(call, SAY_REQUEST)));
    expect(outcomes).toEqual(Array.from({ length: 5 }, () => 'posted'));
    expect(posted).toEqual(Array.from({ length: 5 }, () => ({ callId: call.id, request: SAY_REQUEST })));
    expect(await two.postElsewhere(call, SAY_REQUEST)).toBe('not_in_progress');
  });

  it('is withdrawn if the node does not accept it', async () => {
    const { url, one, two, posted, call } = await callOfAnother(false);
    expect(await one.postElsewhere(call, SAY_REQUEST)).toBe('not_taken');
    expect(await administrate(url, 'SELECT id FROM node_orders')).toEqual([]);
    await two.repositories.calls.finish(call.id, { status: 'completed', endReason: 'caller_hangup', atMs: Date.now() });
    expect(await one.postElsewhere(call, SAY_REQUEST)).toBe('not_in_progress');
    expect(await one.postElsewhere({ ...call, nodeId: 'a node without a lease' }, SAY_REQUEST)).toBe('not_taken');
    expect(posted).toEqual([]);
  });
});

describe.skipIf(!hasPostgres())('a request to a call of another node that fails', () => {
  it('leaves nothing in the database', async () => {
    const url = await temporaryPostgresUrl();
    const [one, two] = [await node(url), await node(url)];
    await one.join(IDLE);
    await two.repositories.organizations.ensureDefault(Date.now());
    const call = newCall(await storeAgent(two.database), { status: 'in_progress' });
    await two.repositories.calls.createCall(call);
    const record = await one.repositories.calls.find(call.id);
    if (record === null) throw new Error('the call was stored');
    const isTaken = vi.spyOn(one.repositories.nodeCommands, 'isTaken');
    isTaken.mockRejectedValue(new DatabaseError('unavailable', 'connection lost'));
    await expect(one.postElsewhere(record, SAY_REQUEST)).rejects.toThrow('connection lost');
    expect(await administrate(url, 'SELECT id FROM node_orders')).toEqual([]);
  });
});

describe.skipIf(!hasPostgres())('the trace of a call', () => {
  it('comes from the node that has it, of any size; null without one', async () => {
    const url = await temporaryPostgresUrl();
    const [one, two] = [await node(url), await node(url)];
    await one.join(IDLE);
    await two.join(IDLE);
    const pcap = randomBytes(300_000);
    const asked: string[] = [];
    for (const trace of ['ladder', 'pcap'] as const) {
      two.answer(trace, async (callId) => {
        asked.push(`${callId} ${trace}`);
        return trace === 'pcap' ? pcap : null;
      });
    }
    const call = { id: 'call', nodeId: two.id };
    expect(Buffer.from((await one.traceElsewhere(call, 'pcap')) ?? '').equals(pcap)).toBe(true);
    expect(await one.traceElsewhere(call, 'ladder')).toBeNull();
    expect(asked).toEqual(['call pcap', 'call ladder']);
    expect(await administrate(url, 'SELECT id FROM node_answers')).toEqual([]);
    expect(await two.traceElsewhere(call, 'pcap'), 'this node has nothing more').toBeNull();
    expect(await one.traceElsewhere({ ...call, nodeId: 'a dead node' }, 'pcap')).toBeNull();
    expect(await two.traceElsewhere({ id: 'call', nodeId: one.id }, 'pcap'), 'it does not answer').toBe('not_taken');
  });
});

describe.skipIf(!hasPostgres())('a question to all other nodes', () => {
  const QUESTION = { subject: 'refusals', id: 'organization' } as const;

  async function twoNodes() {
    const databaseUrl = await temporaryPostgresUrl();
    const clock = new SimulatedClock(START_MS);
    const open = async (): Promise<ThisNode> => {
      const opened = await openNode(
        { databaseUrl, dataDir: await temporaryFolder() },
        clock,
        pino({ level: 'silent' }),
      );
      onTestFinished(() => opened.close());
      await opened.join(IDLE);
      return opened;
    };
    const [first, second] = [await open(), await open()];
    const answer = (node: ThisNode, name: string) =>
      node.answer('refusals', async (id) => Buffer.from(JSON.stringify(`${name} ${id}`)));
    return { answer, clock, databaseUrl, first, second };
  }

  it('is answered at once by each; a node that was alone learns of a new one', async () => {
    const { answer, clock, databaseUrl, first, second } = await twoNodes();
    answer(first, 'first');
    answer(second, 'second');
    expect(await second.askOthers(QUESTION)).toEqual(['first organization']);
    expect(await first.askOthers(QUESTION), 'it knows of no other').toEqual([]);
    clock.advance(NOTIFY_INTERVAL_MS);
    await expect.poll(() => first.askOthers(QUESTION)).toEqual(['second organization']);
    expect(await administrate(databaseUrl, 'SELECT id FROM node_answers')).toEqual([]);
  });

  it('goes without a node that does not answer within a second', async () => {
    const { clock, first, second } = await twoNodes();
    let answers: readonly unknown[] | null = null;
    const asking = second.askOthers(QUESTION).then((found) => {
      answers = found;
    });
    let waitedMs = 0;
    for (; answers === null; waitedMs += LOOK_MS) {
      clock.advance(LOOK_MS);
      await first.repositories.nodes.alive();
    }
    await asking;
    expect(answers).toEqual([]);
    expect(waitedMs).toBeGreaterThanOrEqual(1_000);
  });
});

describe.skipIf(!hasPostgres())('trunks that another node changed', () => {
  it('are read again, also by a node that registers none', async () => {
    const databaseUrl = await temporaryPostgresUrl();
    const [one, two] = [await node(databaseUrl), await node(databaseUrl)];
    const reloaded: string[] = [];
    await one.join({ ...IDLE, reloadTrunks: async () => reloaded.push('one') });
    await two.join({ ...IDLE, reloadTrunks: async () => reloaded.push('two') });
    one.notifyTrunks();
    await expect.poll(() => reloaded).toEqual(['two']);
  });
});

describe.skipIf(!hasPostgres())('the answer to another node', () => {
  async function answering() {
    const databaseUrl = await temporaryPostgresUrl();
    const database = await temporaryPostgres(databaseUrl);
    const clock = new SimulatedClock(START_MS);
    const node = await openNode({ databaseUrl, dataDir: await temporaryFolder() }, clock, pino({ level: 'silent' }));
    onTestFinished(() => node.close());
    await node.join(IDLE);
    const bus = await PostgresBus.open(databaseUrl, database, () => undefined);
    onTestFinished(() => bus.close());
    /** Asks for the trace of a call, with its id as the id of the request. */
    const ask = (id: string) =>
      bus.notify({
        type: 'question',
        nodeId: node.id ?? '',
        askedBy: 'another',
        requestId: id,
        subject: 'ladder',
        id,
      });
    const take = (id: string) => node.repositories.nodeAnswers.take(id);
    const left = () => administrate(databaseUrl, 'SELECT id FROM node_answers UNION SELECT id FROM node_orders');
    return { ask, clock, databaseUrl, left, node, take };
  }

  it('is stored once although the notification is repeated, and again only after it failed', async () => {
    const { ask, left, node, take } = await answering();
    const asked: string[] = [];
    node.answer('ladder', async (callId) => {
      asked.push(callId);
      if (callId === 'faulty' && asked.length === 1) throw new Error('no memory');
      return null;
    });
    for (const id of ['faulty', 'first']) await ask(id);
    await expect.poll(() => take('first')).toBeNull();
    for (const id of ['first', 'faulty', 'first', 'last']) await ask(id);
    await expect.poll(() => take('faulty')).toBeNull();
    await expect.poll(() => take('last')).toBeNull();
    expect(asked).toEqual(['faulty', 'first', 'faulty', 'last']);
    expect(await left()).toEqual([]);
  });

  it('is removed by the leader if no node has taken it', async () => {
    const { clock, databaseUrl, left, node } = await answering();
    await node.repositories.nodeAnswers.put('left', Buffer.from('audio'));
    await node.repositories.nodeCommands.put('untaken', SAY_REQUEST);
    for (const table of ['node_answers', 'node_orders']) {
      await administrate(databaseUrl, `UPDATE ${table} SET created_ms = created_ms - 61000`);
    }
    expect(await left()).toHaveLength(2);
    clock.runUntil(BEAT_MS);
    await expect.poll(left).toEqual([]);
  });
});

const BEAT_MS = 3_000;
const LOOK_MS = 100;
const NOTIFY_INTERVAL_MS = 250;

describe.skipIf(!hasPostgres())('a request to end a call of another node', () => {
  /** A node, and a call of node `two`, which does not listen. */
  async function callOfDeafNode() {
    const databaseUrl = await temporaryPostgresUrl();
    const database = await temporaryPostgres(databaseUrl);
    const calls = createCallRepository(database, 'two');
    const clock = new SimulatedClock(START_MS);
    const log = pino({ level: 'silent' });
    const node = await openNode({ databaseUrl, dataDir: await temporaryFolder() }, clock, log);
    onTestFinished(() => node.close());
    await node.join(IDLE);
    await node.repositories.nodes.renew('two', 600_000);
    const made = newCall(await storeAgent(database), { status: 'in_progress' });
    await calls.createCall(made);
    const call = await calls.find(made.id);
    if (call === null) throw new Error('the call is gone');
    /** Asks for the end of the call. `onLook` runs at each step of the clock. */
    const end = async (onLook: () => Promise<void>): Promise<EndOutcome> => {
      let outcome: EndOutcome | null = null;
      const ending = node.endElsewhere(call).then((found) => {
        outcome = found;
        return found;
      });
      for (let nowMs = LOOK_MS; outcome === null; nowMs += LOOK_MS) {
        await onLook();
        clock.runUntil(nowMs);
        await node.repositories.calls.find(call.id);
      }
      return ending;
    };
    return { call, calls, database, databaseUrl, end, node };
  }

  it('is repeated until the call is over if the notification was lost', async () => {
    const { call, calls, database, databaseUrl, end } = await callOfDeafNode();
    const heard: NodeMessage[] = [];
    const bus = await PostgresBus.open(databaseUrl, database, (message) => void heard.push(message));
    onTestFinished(() => bus.close());
    const terminations = () => heard.filter(({ type }) => type === 'terminate');
    const outcome = await end(async () => {
      if (terminations().length > 1)
        await calls.finish(call.id, { status: 'completed', endReason: 'terminated', atMs: START_MS });
    });
    expect(outcome).toBe('ended');
    expect(terminations().length).toBeGreaterThan(1);
  });

  it('has the outcome that the call was not ended if its node does not end it', async () => {
    const { call, end, node } = await callOfDeafNode();
    expect(await end(async () => undefined)).toBe('not_ended');
    expect(await node.endElsewhere({ ...call, nodeId: 'a node without a lease' })).toBe('not_elsewhere');
    expect(await node.endElsewhere({ ...call, nodeId: node.id })).toBe('not_elsewhere');
  });
});

describe.skipIf(!hasPostgres())('a notification of stored data', () => {
  /** Node `one`, and the calls of each wake-up of node `two` from then on. */
  async function twoNodes() {
    const url = await temporaryPostgresUrl();
    const [one, two] = [await node(url), await node(url)];
    const woken: (readonly string[] | null)[] = [];
    await two.join({ ...IDLE, wake: (callIds) => woken.push(callIds) });
    woken.length = 0;
    await one.join(IDLE);
    // A node that joins says so.
    await vi.waitFor(() => expect(woken).toEqual([null]), 30_000);
    return { one, woken };
  }

  it('names the calls with new events, each once', async () => {
    const { one, woken } = await twoNodes();
    for (const callId of ['a', 'b', 'a']) one.notifyStored(callId);
    await vi.waitFor(() => expect(woken).toContainEqual(['a', 'b']), 30_000);
    one.notifyStored('c');
    await vi.waitFor(() => expect(woken).toContainEqual(['c']), 30_000);
  });

  it('names no call if any may have new events, or if too many have', async () => {
    const { one, woken } = await twoNodes();
    one.notifyStored('a');
    one.notifyStored(null);
    one.notifyStored('b');
    const sentBefore = woken.length;
    await vi.waitFor(() => expect(woken.length).toBeGreaterThan(sentBefore), 30_000);
    expect(woken.at(-1)).toBe(null);
    for (let call = 0; call < 1_000; call++) one.notifyStored(randomUUID());
    one.notifyStored('last');
    await vi.waitFor(() => expect(woken.length).toBeGreaterThan(sentBefore + 1), 30_000);
    expect(woken.flat()).toEqual(woken.map(() => null));
  });
});
