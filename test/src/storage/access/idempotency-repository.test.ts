import { expect, it } from 'vitest';
import { DEFAULT_ORGANIZATION_ID } from '../../../../src/storage/access/organization-repository.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import { newCall, onEachDatabase, START_MS, storeAgent } from '../temporary-database.ts';

const requestWith = (key: string) => ({ organizationId: DEFAULT_ORGANIZATION_ID, key, requestHash: 'hash' });

onEachDatabase((temporaryDatabase) => {
  it('after a crash a key is free again if its call was not stored, and otherwise names the call', async () => {
    const database = await temporaryDatabase();
    const { calls, idempotency } = createRepositories(database);
    const agentId = await storeAgent(database);
    const claim = (key: string) => idempotency.claim(requestWith(key), START_MS);
    for (const key of ['nothing', 'created', 'placed', 'no room']) expect(await claim(key)).toEqual({ type: 'first' });
    const created = newCall(agentId, { idempotent: requestWith('created') });
    const placed = newCall(agentId, { direction: 'outbound', idempotent: requestWith('placed') });
    await calls.createCall(created);
    expect(await calls.placeCall(placed, 1)).toBe(true);
    expect(await calls.placeCall(newCall(agentId, { idempotent: requestWith('no room') }), 1)).toBe(false);
    expect(await claim('created')).toEqual({ type: 'in_progress' });

    await idempotency.releaseAll();
    for (let times = 0; times < 2; times += 1) {
      expect(await claim('created')).toEqual({ type: 'call_made', callId: created.id });
      expect(await claim('placed')).toEqual({ type: 'call_made', callId: placed.id });
      await idempotency.releaseAll();
    }
    expect(await claim('nothing')).toEqual({ type: 'first' });
    expect(await claim('no room')).toEqual({ type: 'first' });
    expect(await idempotency.claim({ ...requestWith('placed'), requestHash: 'another' }, START_MS)).toEqual({
      type: 'mismatch',
    });
  });

  it('a starting node releases only its own keys, and a refused request frees its key', async () => {
    const database = await temporaryDatabase();
    const [one, other] = [createRepositories(database, 'one'), createRepositories(database, 'other')];
    const agentId = await storeAgent(database);
    const claim = (key: string) => other.idempotency.claim(requestWith(key), START_MS);
    await one.idempotency.claim(requestWith('of one'), START_MS);
    const call = newCall(agentId, { idempotent: requestWith('of one') });
    await one.calls.createCall(call);
    await other.idempotency.releaseAll();
    expect(await claim('of one')).toEqual({ type: 'in_progress' });
    await one.idempotency.releaseAll();
    expect(await claim('of one')).toEqual({ type: 'call_made', callId: call.id });

    await claim('refused');
    await other.calls.createCall(newCall(agentId, { idempotent: requestWith('refused') }));
    await other.idempotency.release(requestWith('refused'));
    expect(await claim('refused')).toEqual({ type: 'first' });
  });
});
