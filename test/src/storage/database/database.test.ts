import { expect, it } from 'vitest';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import { DatabaseError } from '../../../../src/storage/link/database-error.ts';
import { newCall, onEachDatabase, storeAgent } from '../temporary-database.ts';

const NODE = { id: 'one-id', lease_until_ms: 0 };

onEachDatabase((temporaryDatabase) => {
  it('a batch is atomic: a failed step reverts the earlier steps of its batch, and no other batch', async () => {
    const database = await temporaryDatabase();
    const agentId = await storeAgent(database);
    const { query } = database;
    const rename = (name: string) => ({
      statement: query.updateTable('agents').set({ name }).where('id', '=', agentId),
    });
    const never = { statement: query.deleteFrom('agents').where('id', '=', 'nobody'), mustChange: true } as const;
    const twice = { statement: query.insertInto('nodes').values([NODE, NODE]) };
    const outcomes = await Promise.allSettled([
      database.atomically([rename('a'), never]),
      database.atomically([rename('b')]),
      database.atomically([rename('c'), twice]),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(outcomes[0]).toMatchObject({ value: false });
    expect(outcomes[1]).toMatchObject({ value: true });
    expect(outcomes[2]).toMatchObject({ reason: { fault: 'constraint' } });
    const agent = await query.selectFrom('agents').select('name').where('id', '=', agentId).executeTakeFirst();
    expect(agent?.name).toBe('b');
  });

  it('an invalid statement rejects, and the database continues', async () => {
    const database = await temporaryDatabase();
    await expect(
      database.query
        .selectFrom('calls')
        .select('no_such_column' as 'id')
        .execute(),
    ).rejects.toMatchObject({
      fault: 'failed',
    });
    await expect(
      database.query
        .updateTable('agents')
        .set({ name: Symbol('x') as unknown as string })
        .execute(),
    ).rejects.toThrow(DatabaseError);
    await database.check();
  });

  it('Kysely transactions are refused, because they would block the writer', async () => {
    const database = await temporaryDatabase();
    await expect(database.query.transaction().execute(async () => {})).rejects.toThrow(/atomically/);
  });

  it('a closed database refuses every request, and a second close has no effect', async () => {
    const database = await temporaryDatabase();
    const calls = createCallRepository(database);
    const agentId = await storeAgent(database);
    const call = newCall(agentId);
    const write = calls.createCall(call);
    await database.close();
    await write;
    await expect(calls.createCall(newCall(agentId))).rejects.toMatchObject({ fault: 'unavailable' });
    await expect(database.check()).rejects.toMatchObject({ fault: 'unavailable' });
    await database.close();
  });
});
