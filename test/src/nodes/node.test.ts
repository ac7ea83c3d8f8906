import pino from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SimulatedClock } from '../../../engine/call/simulated-clock.ts';
import { openNode } from '../../../src/nodes/node.ts';
import { createCallRepository } from '../../../src/storage/call-repository.ts';
import { type NodeMessage, PostgresBus } from '../../../src/storage/node-bus.ts';
import { hasPostgres, temporaryPostgresUrl } from '../../postgres/temporary-postgres.ts';
import { newCall, START_MS, storeAgent, temporaryFolder, temporaryPostgres } from '../storage/temporary-database.ts';

const LOOK_MS = 100;

describe.skipIf(!hasPostgres())('an order to end a call of another node', () => {
  test('is given again to one that has not heard it, until the call is over', async () => {
    const databaseUrl = await temporaryPostgresUrl();
    const database = await temporaryPostgres(databaseUrl);
    const calls = createCallRepository(database, 'two');
    const clock = new SimulatedClock(START_MS);
    const log = pino({ level: 'silent' });
    const node = await openNode({ databaseUrl, dataDir: await temporaryFolder() }, clock, log);
    onTestFinished(() => node.close());
    const nothing = async () => {};
    await node.join({ wake: () => {}, terminate: nothing, closeLost: nothing, expireStaged: nothing });
    await node.repositories.nodes.renew('two', 600_000);
    const made = newCall(await storeAgent(database), { status: 'in_progress' });
    await calls.createCall(made);
    const heard: NodeMessage[] = [];
    const bus = await PostgresBus.open(databaseUrl, database, (message) => void heard.push(message));
    onTestFinished(() => bus.close());

    const call = await calls.find(made.id);
    if (call === null) throw new Error('the call is gone');
    let ended: boolean | null = null;
    const ending = node.endElsewhere(call).then((found) => {
      ended = found;
    });
    const orders = () => heard.filter(({ type }) => type === 'terminate');
    for (let nowMs = LOOK_MS; ended === null; nowMs += LOOK_MS) {
      if (orders().length > 1) {
        await calls.finish(made.id, { status: 'completed', endReason: 'terminated', atMs: START_MS });
      }
      clock.runUntil(nowMs);
      await node.repositories.calls.find(made.id);
    }
    await ending;
    expect(ended).toBe(true);
    expect(orders().length).toBeGreaterThan(1);
  });
});
