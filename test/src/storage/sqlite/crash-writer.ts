import { randomUUID } from 'node:crypto';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import { openDatabase } from '../../../../src/storage/database/database.ts';
import { newCall } from '../temporary-database.ts';

/** Stores calls, eight at a time, and prints the id of each stored call until the process is killed. */
const [, , dataDir = '', agentId = ''] = process.argv;
const calls = createCallRepository(await openDatabase({ dataDir }));

async function writeUntilKilled(): Promise<never> {
  for (;;) {
    const id = randomUUID();
    await calls.createCall(newCall(agentId, { id, status: 'in_progress' }));
    process.stdout.write(`${id}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, writeUntilKilled));
