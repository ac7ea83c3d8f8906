import { expect, it } from 'vitest';
import type { LiveRequest } from '../../../../engine/core/event.ts';
import { createNodeAnswerRepository, REQUEST_KEPT_MS } from '../../../../src/storage/cluster/node-answer-repository.ts';
import { createNodeCommandRepository } from '../../../../src/storage/cluster/node-command-repository.ts';
import { onEachDatabase } from '../temporary-database.ts';

const REQUEST: LiveRequest = { type: 'call.context', content: 'The order has shipped.' };
/** Longer than a test lasts. */
const MARGIN_MS = 30_000;

onEachDatabase((temporaryDatabase) => {
  it('answers and commands between nodes are removed when they are old by the clock of the database', async () => {
    const database = await temporaryDatabase();
    const answers = createNodeAnswerRepository(database);
    const commands = createNodeCommandRepository(database);
    for (const id of ['old', 'new']) {
      await answers.put(id, Buffer.from(id));
      await commands.put(id, REQUEST);
    }
    for (const table of ['node_answers', 'node_orders'] as const) {
      await database.query
        .updateTable(table)
        .set((eb) => ({ created_ms: eb('created_ms', '-', REQUEST_KEPT_MS + MARGIN_MS) }))
        .where('id', '=', 'old')
        .execute();
    }
    await answers.removeOld();
    await commands.removeOld();
    expect([await answers.take('old'), await commands.take('old')]).toEqual([undefined, null]);
    expect([Buffer.from((await answers.take('new')) ?? '').toString(), await commands.take('new')]).toEqual([
      'new',
      REQUEST,
    ]);
  });

  it('a command of a later version is not taken, so its sender learns that it had no effect', async () => {
    const database = await temporaryDatabase();
    const commands = createNodeCommandRepository(database);
    await commands.put('later', REQUEST);
    await database.query.updateTable('node_orders').set({ order_json: '{"type":"call.later"}' }).execute();
    await expect(commands.take('later')).rejects.toThrow();
    expect(await commands.isTaken('later')).toBe(false);
  });
});
