import { randomUUID } from 'node:crypto';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import { openDatabase } from '../../../../src/storage/database/database.ts';
import { newCall } from '../temporary-database.ts';

/** Stores calls without end, eight at a time, and prints the id of each once it was answered. It waits to be killed. */
const [, , dataDir = '', agentId = ''] = process.argv;
const calls = createCallRepository(await openDatabase({ dataDir }));

async function writeForEver(): Promise<never> {
  for (;;) {
    const id = randomUUID();
    await calls.createCall(newCall(agentId, { id, status: 'in_progress' }));
    process.stdout.write(`${id}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, writeForEver));
