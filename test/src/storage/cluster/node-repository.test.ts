import { expect, it } from 'vitest';
import { createIdempotencyRepository } from '../../../../src/storage/access/idempotency-repository.ts';
import { DEFAULT_ORGANIZATION_ID } from '../../../../src/storage/access/organization-repository.ts';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import { createNodeRepository } from '../../../../src/storage/cluster/node-repository.ts';
import { newCall, onEachDatabase, START_MS, storeAgent } from '../temporary-database.ts';

const LONG_MS = 600_000;
/** A lease that has already expired. */
const EXPIRED_MS = -1;

onEachDatabase((temporaryDatabase) => {
  it('a node is alive until its lease expires or it leaves', async () => {
    const nodes = createNodeRepository(await temporaryDatabase());
    await nodes.renew('one', LONG_MS);
    await nodes.renew('two', EXPIRED_MS);
    expect([await nodes.isAlive('one'), await nodes.isAlive('two'), await nodes.isAlive('three')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([await nodes.hasOthers('one'), await nodes.hasOthers('two')]).toEqual([false, true]);
    await nodes.renew('two', LONG_MS);
    expect(await nodes.hasOthers('one')).toBe(true);
    await nodes.leave('two');
    expect(await nodes.hasOthers('one')).toBe(false);
  });

  it('exactly one of many nodes gets the background work, and keeps it until its lease expires or it leaves', async () => {
    const nodes = createNodeRepository(await temporaryDatabase());
    const names = Array.from({ length: 20 }, (_, nth) => `node ${nth}`);
    const taken = await Promise.all(names.map((name) => nodes.lead(name, LONG_MS)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    const leader = names[taken.indexOf(true)] ?? '';
    const other = names.find((name) => name !== leader) ?? '';
    expect(await nodes.lead(leader, LONG_MS)).toBe(true);
    expect(await nodes.lead(other, LONG_MS)).toBe(false);
    await nodes.leave(leader);
    expect(await nodes.lead(other, EXPIRED_MS)).toBe(true);
    expect(await nodes.lead(leader, LONG_MS)).toBe(true);
    expect(await nodes.lead(other, LONG_MS)).toBe(false);
  });

  it('a process whose node another process has taken over ends neither its lease nor its lead', async () => {
    const nodes = createNodeRepository(await temporaryDatabase());
    await nodes.renew('one', LONG_MS, 'first');
    await nodes.takeOver('one', LONG_MS, 'second');
    expect(await nodes.lead('one', LONG_MS)).toBe(true);
    await nodes.leave('one', 'first');
    expect([await nodes.isAlive('one'), await nodes.lead('two', LONG_MS)]).toEqual([true, false]);
    await nodes.leave('one', 'second');
    expect([await nodes.isAlive('one'), await nodes.lead('two', LONG_MS)]).toEqual([false, true]);
  });

  it('calls in progress of a node without a lease are orphaned; staged calls stay claimable, and ended calls stay ended', async () => {
    const database = await temporaryDatabase();
    const nodes = createNodeRepository(database);
    const agentId = await storeAgent(database);
    const [dead, alive] = [createCallRepository(database, 'dead'), createCallRepository(database, 'alive')];
    await nodes.renew('dead', EXPIRED_MS);
    await nodes.renew('alive', LONG_MS);
    const make = async (on: typeof dead, status: 'in_progress' | 'ringing') => {
      const call = newCall(agentId, { status });
      await on.createCall(call);
      return call.id;
    };
    const orphaned = [await make(dead, 'in_progress'), await make(dead, 'ringing')];
    const ended = await make(dead, 'in_progress');
    await dead.finish(ended, { status: 'completed', endReason: 'caller_hangup', atMs: START_MS });
    await make(alive, 'in_progress');
    const staged = await make(dead, 'ringing');
    const patch = { stagingDeadlineMs: START_MS + 60_000 };
    await dead.setStatus(staged, { from: ['ringing'], to: 'staged', atMs: START_MS, patch });
    expect((await nodes.orphanedCalls()).map(({ id }) => id).sort()).toEqual(orphaned.sort());
    const claimed = await alive.claimStaged(staged, START_MS);
    expect(claimed).toMatchObject({ id: staged, nodeId: 'alive' });
    expect((await nodes.orphanedCalls()).map(({ id }) => id)).not.toContain(staged);
  });

  it('a renewal says whether the lease had expired', async () => {
    const nodes = createNodeRepository(await temporaryDatabase());
    expect(await nodes.renew('one', LONG_MS)).toBe(false);
    expect(await nodes.renew('one', EXPIRED_MS)).toBe(true);
    expect(await nodes.renew('one', LONG_MS)).toBe(false);
  });

  it('a lease belongs to one process, until it expires or another process takes it over', async () => {
    const nodes = createNodeRepository(await temporaryDatabase());
    expect(await nodes.leaseUntilMs('one')).toBeNull();
    await nodes.renew('one', LONG_MS, 'first');
    expect(await nodes.leaseUntilMs('one')).toBeGreaterThan(0);
    await expect(nodes.renew('one', LONG_MS, 'second')).rejects.toMatchObject({ fault: 'locked' });
    await nodes.leave('one', 'second');
    expect(await nodes.renew('one', LONG_MS, 'first')).toBe(true);
    await nodes.takeOver('one', LONG_MS, 'second');
    await expect(nodes.renew('one', LONG_MS, 'first')).rejects.toMatchObject({ fault: 'locked' });
    expect(await nodes.renew('one', EXPIRED_MS, 'second')).toBe(true);
    expect(await nodes.leaseUntilMs('one')).toBeNull();
    expect(await nodes.renew('one', LONG_MS, 'first')).toBe(false);
  });

  it('a call is adopted once, only while its node has no lease', async () => {
    const database = await temporaryDatabase();
    const nodes = createNodeRepository(database);
    const [slow, other, third] = ['slow', 'other', 'third'].map((id) => createCallRepository(database, id));
    if (slow === undefined || other === undefined || third === undefined) throw new Error('three repositories');
    const { id } = newCall(await storeAgent(database), { status: 'in_progress' });
    await slow.createCall(newCall(await storeAgent(database), { id, status: 'in_progress' }));
    const call = (await slow.callsInFlight()).find((one) => one.id === id);
    if (call === undefined) throw new Error('the call was stored');
    const end = { status: 'completed', endReason: 'node_lost', atMs: START_MS } as const;
    await nodes.renew('slow', LONG_MS);
    expect(await other.adopt(call, end), 'its node has come back').toBe(false);
    await nodes.leave('slow');
    expect((await nodes.orphanedCalls()).map((orphaned) => orphaned.id)).toEqual([id]);
    const outcomes = await Promise.all([other.adopt(call, end), third.adopt(call, end)]);
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    expect(await slow.adopted([id, 'another'])).toEqual([id]);
    expect(await slow.finish(id, { ...end, endReason: 'caller_hangup' })).toBe(false);
  });

  it('a restarted node finds only its own calls and requests', async () => {
    const database = await temporaryDatabase();
    const agentId = await storeAgent(database);
    const [one, two] = [createCallRepository(database, 'one'), createCallRepository(database, 'two')];
    const [mine, theirs] = [newCall(agentId), newCall(agentId)];
    await one.createCall(mine);
    await two.createCall(theirs);
    expect((await one.callsInFlight()).map(({ id }) => id)).toEqual([mine.id]);
    const request = (key: string) => ({ organizationId: DEFAULT_ORGANIZATION_ID, key, requestHash: 'h' });
    const keys = createIdempotencyRepository(database, 'one');
    await keys.claim(request('a'), START_MS);
    await createIdempotencyRepository(database, 'two').claim(request('b'), START_MS);
    await keys.releaseAll();
    expect(await keys.claim(request('a'), START_MS)).toEqual({ type: 'first' });
    expect(await keys.claim(request('b'), START_MS)).toEqual({ type: 'in_progress' });
  });
});
