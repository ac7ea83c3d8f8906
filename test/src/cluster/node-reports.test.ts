import { expect, it } from 'vitest';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import { NodeReports, type OwnReport } from '../../../src/cluster/node-reports.ts';
import { createNodeReportRepository } from '../../../src/storage/cluster/node-report-repository.ts';
import { createNodeRepository } from '../../../src/storage/cluster/node-repository.ts';
import { onEachDatabase } from '../storage/temporary-database.ts';

const GATHER_MS = 100;
const LONG_MS = 600_000;

onEachDatabase((temporaryDatabase) => {
  async function twoNodes() {
    const database = await temporaryDatabase();
    const nodes = createNodeRepository(database);
    const stored = createNodeReportRepository(database);
    const clock = new SimulatedClock();
    const writes: string[][] = [];
    const failures: Error[] = [];
    const seen = { one: [] as OwnReport[], two: [] as OwnReport[] };
    const node = (nodeId: 'one' | 'two') =>
      new NodeReports({
        nodeId,
        repository: {
          ...stored,
          store: async (id, changed, removed) => {
            const failure = failures.shift();
            const others = removed === null ? ['-others'] : removed.map(({ key }) => `-${key}`);
            writes.push([...changed.map(({ key }) => `+${key}`), ...others]);
            await stored.store(id, changed, removed);
            if (failure !== undefined) throw failure;
          },
        },
        collect: () => seen[nodeId],
        clock,
        log: { warn: () => {} },
      });
    await nodes.renew('one', LONG_MS);
    await nodes.renew('two', LONG_MS);
    return { clock, failures, node, nodes, one: node('one'), seen, stored, two: node('two'), writes };
  }
  const reachable = (key: string, roundTripMs: number): OwnReport => ({
    subject: 'reachability',
    key,
    body: { roundTripMs },
  });

  it('a node reads what the others see, and stores only what has changed', async () => {
    const { one, seen, two, writes } = await twoNodes();
    seen.one = [reachable('a', 1), reachable('b', 2), { subject: 'circuit', key: 'voice', body: {} }];
    await one.store();
    await one.store();
    seen.one = [reachable('a', 3), { subject: 'circuit', key: 'voice', body: {} }];
    await one.store();
    expect(writes).toEqual([
      ['+a', '+b', '+voice', '-others'],
      ['+a', '-b'],
    ]);
    seen.two = [reachable('a', 9)];
    await two.store();
    expect(await two.ofOthers('reachability')).toEqual([{ nodeId: 'one', key: 'a', body: { roundTripMs: 3 } }]);
    expect(await two.ofOthers('reachability', ['other'])).toEqual([]);
    expect(await one.ofOthers('reachability', ['a'])).toEqual([{ nodeId: 'two', key: 'a', body: { roundTripMs: 9 } }]);
    expect(await one.ofOthers('circuit')).toEqual([]);
  });

  it('the reports of a node without a lease do not count, and are removed', async () => {
    const { nodes, one, seen, stored, two } = await twoNodes();
    seen.one = [reachable('a', 1)];
    await one.store();
    await nodes.renew('one', -1);
    expect(await two.ofOthers('reachability')).toEqual([]);
    await stored.removeOld();
    await nodes.renew('one', LONG_MS);
    await one.store();
    expect(await two.ofOthers('reachability'), 'it counts them as stored').toEqual([]);
    one.forget();
    await one.store();
    expect(await two.ofOthers('reachability')).toHaveLength(1);
  });

  it('a process removes the reports that an earlier one of its node has left', async () => {
    const { node, one, seen, two } = await twoNodes();
    seen.one = [reachable('a', 1), reachable('b', 1)];
    await one.store();
    seen.one = [reachable('b', 1)];
    await node('one').store();
    expect((await two.ofOthers('reachability')).map(({ key }) => key)).toEqual(['b']);
  });

  it('a change is stored soon, together with others', async () => {
    const { clock, one, seen, two, writes } = await twoNodes();
    seen.one = [reachable('a', 1)];
    one.wake();
    one.wake();
    clock.advance(GATHER_MS);
    await expect.poll(() => two.ofOthers('reachability')).toHaveLength(1);
    expect(writes).toHaveLength(1);
  });

  it('what may be stored although the answer was lost is stored again, or removed', async () => {
    const { failures, one, seen, two } = await twoNodes();
    seen.one = [reachable('a', 1), reachable('b', 1)];
    failures.push(new Error('lost'));
    await expect(one.store()).rejects.toThrow('lost');
    seen.one = [reachable('a', 1)];
    await one.store();
    expect((await two.ofOthers('reachability')).map(({ key }) => key)).toEqual(['a']);
  });

  it('a node that stops leaves no report', async () => {
    const { one, seen, two } = await twoNodes();
    seen.one = [reachable('a', 1)];
    await one.store();
    await one.stop();
    await one.store();
    expect(await two.ofOthers('reachability')).toEqual([]);
  });
});
