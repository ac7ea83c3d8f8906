import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import {
  createOrganizationRepository,
  DEFAULT_ORGANIZATION_ID,
} from '../../../../src/storage/access/organization-repository.ts';
import { openDatabase } from '../../../../src/storage/database/database.ts';
import type { WireStatement } from '../../../../src/storage/link/database-link.ts';
import { createRepositories, type Repositories } from '../../../../src/storage/repositories.ts';
import { ReceivedTexts } from '../../../../src/storage/sqlite/statement-texts.ts';
import { startWorker } from '../../../../src/storage/sqlite/worker-link.ts';
import type { WorkerRequest } from '../../../../src/storage/sqlite/worker-protocol.ts';
import { START_MS, temporaryFolder } from '../temporary-database.ts';

/** The plans of the statements that `ask` runs. SQLite keeps no statistics here, so they do not depend on the number of rows. */
async function plansOf(ask: (repositories: Repositories) => Promise<unknown>): Promise<string> {
  const dataDir = await temporaryFolder();
  const ran: WireStatement[] = [];
  const database = await openDatabase({
    dataDir,
    startWorker: (settings) => {
      const worker = startWorker(settings);
      const received = new ReceivedTexts();
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (request: WorkerRequest) => {
        if (request.type === 'run')
          ran.push(...request.batches.flatMap(({ statements }) => statements.map((sent) => received.decode(sent))));
        post(request);
      };
      return worker;
    },
  });
  onTestFinished(() => database.close());
  await createOrganizationRepository(database).ensureDefault(START_MS);
  ran.length = 0;
  await ask(createRepositories(database));
  const connection = new DatabaseSync(join(dataDir, 'trunkline.db'), { readOnly: true });
  const plans = ran.map(({ parameters, sql }) => {
    const steps = connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
    return steps.map(({ detail }) => detail).join('; ');
  });
  connection.close();
  return plans.join('\n');
}

it('retention reads the oldest calls with content in the order of their index', async () => {
  const plans = await plansOf(({ callDeletion }) => callDeletion.keptCalls(START_MS, null, 10));
  expect(plans).toMatch(/USING INDEX calls_kept/);
  expect(plans).not.toMatch(/TEMP B-TREE/);
});

it('a start reads the ended calls that kept their dialogs, and no other ended call', async () => {
  expect(await plansOf(({ calls }) => calls.endedWithDialogs())).toMatch(/USING INDEX calls_with_dialogs/);
});

it('a list of running calls reads no ended call, whatever its other filters', async () => {
  const page = { mode: 'cursor', beforeUs: null, limit: 10 } as const;
  const filters = [{ type: 'phone_call' }, { fromNumber: '+4989111111' }, { agentId: 'an agent' }] as const;
  for (const filter of filters) {
    const list = ({ callLists }: Repositories) =>
      callLists.list(DEFAULT_ORGANIZATION_ID, { ...filter, running: true }, page);
    expect((await plansOf(list)).split('\n').at(-1)).toMatch(/USING INDEX calls_running/);
  }
});

it.each([
  [{}, 'calls_listed'],
  [{ agentId: 'an agent' }, 'calls_listed_by_agent_id'],
  [{ fromNumber: '+4989111111' }, 'calls_listed_by_from_number'],
  [{ startAfterMs: START_MS }, 'calls_listed_started'],
] as const)('a page by number of %j skips calls by an index alone', async (filter, index) => {
  const page = { mode: 'page', page: 1_000, limit: 10 } as const;
  const plans = await plansOf(({ callLists }) => callLists.list(DEFAULT_ORGANIZATION_ID, filter, page));
  expect(plans).toMatch(new RegExp(`LIST SUBQUERY 1; SEARCH calls USING COVERING INDEX ${index} `));
  expect(plans).not.toMatch(/TEMP B-TREE/);
});

it.each([
  [{ keyId: 'a key' }, 'audit_log_by_key'],
  [{ action: 'getCall' }, 'audit_log_by_action'],
  [{ keyId: 'a key', action: 'getCall' }, 'audit_log_by_key_and_action'],
  [{ keyId: 'a key', action: 'getCall', targetId: 'a call' }, 'audit_log_of_target'],
  [{ fromMs: START_MS, toMs: START_MS + 1 }, 'audit_log_listed'],
])('the audit log of %j has an index in its order', async (filter, index) => {
  const page = { before: { atMs: START_MS, id: 'an id' }, limit: 10 };
  const plans = await plansOf(({ auditLog }) => auditLog.list(DEFAULT_ORGANIZATION_ID, filter, page));
  expect(plans).toMatch(new RegExp(`USING INDEX ${index} `));
  expect(plans).not.toMatch(/TEMP B-TREE/);
});

it.each([
  ['due deliveries', ({ outbox }: Repositories) => outbox.dueDeliveries(START_MS, 10)],
  ['due deliveries of some agents', ({ outbox }: Repositories) => outbox.dueDeliveries(START_MS, 10, ['busy'])],
  ['the next delivery attempt', ({ outbox }: Repositories) => outbox.nextAttemptMs(START_MS)],
])('%s: pending events are found agent by agent, and none is scanned', async (_, ask) => {
  const plans = await plansOf(ask);
  expect(plans).toMatch(/SEARCH next USING COVERING INDEX call_events_due_by_agent \(agent_id>\?\)/);
  expect(plans).toMatch(
    /SEARCH (due|later) USING (COVERING )?INDEX call_events_due_by_agent \(agent_id=\? AND next_attempt_ms[<>]\?\)/,
  );
  expect(plans).not.toMatch(
    /(SCAN|SEARCH) event (?!USING INDEX sqlite_autoindex_call_events_1)|SCAN (due|next|later)\b/,
  );
});
