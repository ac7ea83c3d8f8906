import { randomUUID } from 'node:crypto';
import type { TranscriptEntry } from '../../engine/ports/journal.ts';
import {
  createOrganizationRepository,
  DEFAULT_ORGANIZATION_ID,
} from '../../src/storage/access/organization-repository.ts';
import type { Database } from '../../src/storage/database/database.ts';
import { createRepositories } from '../../src/storage/repositories.ts';

/** Calls stored in parallel, one transaction each. */
const CALLS_AT_ONCE = 200;
const STEP_MS = 60_000;
const ENTRIES = 20;

export interface FilledCalls {
  /** The newest call. It has a transcript of twenty entries, as do all of the newest fifty. */
  readonly callId: string;
  readonly agentId: string;
}

/** Stores ended calls of five agents, one minute apart. The newest fifty have transcripts. */
export async function storeCallsWithTranscripts(database: Database, calls: number): Promise<FilledCalls> {
  await createOrganizationRepository(database).ensureDefault(Date.now());
  const { calls: stored, journal } = createRepositories(database);
  const agents = Array.from({ length: 5 }, () => randomUUID());
  const ids = Array.from({ length: calls }, () => randomUUID());
  const startMs = Date.now() - calls * STEP_MS;
  for (let from = 0; from < calls; from += CALLS_AT_ONCE) {
    await Promise.all(
      ids.slice(from, from + CALLS_AT_ONCE).map((id, at) =>
        stored.createCall({
          id,
          organizationId: DEFAULT_ORGANIZATION_ID,
          agentId: agents[(from + at) % agents.length] ?? '',
          agentVersion: 1,
          type: 'phone_call',
          direction: 'inbound',
          status: 'initiated',
          fromNumber: '+4915112345678',
          toNumber: '+493012345678',
          dynamicVariables: { name: 'Ada Lovelace', order: 'A-1', language: 'en' },
          idempotent: null,
          nowMs: startMs + (from + at) * STEP_MS,
        }),
      ),
    );
  }
  // One update for all: ending each call through the repository would also store its events and post-call work.
  await database.query
    .updateTable('calls')
    .set((eb) => ({
      status: 'completed',
      end_reason: 'caller_hangup',
      start_ms: eb('created_ms', '+', 5_000),
      end_ms: eb('created_ms', '+', 65_000),
    }))
    .execute();
  for (const id of ids.slice(-50)) {
    const entries = Array.from({ length: ENTRIES }, (_, sequence) => ({
      type: 'transcript' as const,
      entry: transcriptEntry(sequence),
    }));
    await journal.appendJournal(id, { entries, startedWallMs: startMs });
  }
  return { callId: ids.at(-1) ?? '', agentId: agents[0] ?? '' };
}

function transcriptEntry(sequence: number): TranscriptEntry {
  const times = { sequence, startUs: sequence * 3_000_000, endUs: sequence * 3_000_000 + 2_500_000 };
  const content = 'I would like to move my appointment to next Thursday, if there is a place in the afternoon.';
  return sequence % 2 === 0
    ? { role: 'user', content, ...times }
    : { role: 'agent', content, interrupted: false, ...times };
}
