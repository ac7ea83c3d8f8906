import { randomUUID } from 'node:crypto';
import type { Database } from '../../src/storage/database/database.ts';
import { createRepositories } from '../../src/storage/repositories.ts';
import { ORGANIZATION } from './question.ts';

/** Audit records of one write, as many as a busy second has. */
const RECORDS = 100;

/** The time of writes beside a million calls, one at a time: ms of each run. */
export async function insertCost(
  database: Database,
  repeats: number,
): Promise<readonly (readonly [string, readonly number[]])[]> {
  const { auditLog, calls } = createRepositories(database);
  const created: number[] = [];
  const ended: number[] = [];
  const audited: number[] = [];
  for (let nth = 0; nth < repeats; nth++) {
    const id = randomUUID();
    const nowMs = Date.now();
    created.push(
      await timed(() =>
        calls.createCall({
          id,
          organizationId: ORGANIZATION,
          agentId: 'agent 1',
          agentVersion: 1,
          type: 'phone_call',
          direction: 'inbound',
          status: 'ringing',
          fromNumber: '+4915112345678',
          toNumber: '+493012345678',
          dynamicVariables: {},
          idempotent: null,
          nowMs,
        }),
      ),
    );
    ended.push(await timed(() => calls.finish(id, { status: 'completed', endReason: 'caller_hangup', atMs: nowMs })));
    const records = Array.from({ length: RECORDS }, () => ({
      id: randomUUID(),
      organizationId: ORGANIZATION,
      atMs: nowMs,
      keyId: 'key 1',
      action: 'getRecording',
      targetId: id,
      address: '192.0.2.7',
      status: 200,
    }));
    audited.push(await timed(() => auditLog.append(records)));
  }
  return [
    ['insert cost: create a call', created],
    ['insert cost: end a call', ended],
    [`insert cost: ${RECORDS} audit records`, audited],
  ];
}

async function timed(write: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await write();
  return performance.now() - started;
}
