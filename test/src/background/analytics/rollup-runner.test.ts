import pino from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { TurnRecord } from '../../../../engine/ports/turn-record.ts';
import { RollupRunner } from '../../../../src/background/analytics/rollup-runner.ts';
import { DEFAULT_ORGANIZATION_ID } from '../../../../src/storage/access/organization-repository.ts';
import { createRepositories, type Repositories } from '../../../../src/storage/repositories.ts';
import { FakeClock } from '../../api/test-api.ts';
import { endTimelineCall, storeTimelineCall, TIMELINE_CALL_ID } from '../../api/timeline/timeline-call.ts';
import { newCall, START_MS, storeAgent, temporaryDatabase } from '../../storage/temporary-database.ts';

const DAY_MS = 86_400_000;
const YEAR = { fromMs: START_MS, toMs: START_MS + 365 * DAY_MS, limit: 100 };

function started(repositories: Repositories, clock = new FakeClock()): RollupRunner {
  const runner = new RollupRunner({ repositories, clock, log: pino({ level: 'silent' }) });
  onTestFinished(() => runner.stop());
  runner.wake();
  return runner;
}

const counted = async ({ rollups }: Repositories) =>
  vi.waitFor(async () => expect(await rollups.due(1)).toEqual([]), { timeout: 10_000, interval: 10 });

const sumsOf = async ({ analytics }: Repositories) =>
  (await analytics.callSums(DEFAULT_ORGANIZATION_ID, { ...YEAR, interval: 'total', groupBy: null, where: {} }))[0]
    ?.sums;

describe('an ended call', () => {
  it('counts once, with its cost, duration and interruptions, also if the runner is woken again', async () => {
    const database = await temporaryDatabase();
    const repositories = createRepositories(database);
    const call = newCall(await storeAgent(database), { status: 'ringing' });
    await repositories.calls.createCall(call);
    await repositories.calls.setStatus(call.id, { from: ['ringing'], to: 'in_progress', atMs: START_MS });
    const providers = [{ kind: 'llm', provider: 'openai', model: 'gpt', input_tokens: 120, output_tokens: 30 }];
    const patch = { cost: 0.25, metrics: { turns: 4, interruptions: 2, cost: { llm: 0.25 }, providers } };
    const end = { status: 'completed', endReason: 'caller_hangup', atMs: START_MS + 61_000, patch } as const;
    await repositories.calls.finish(call.id, end);
    const runner = started(repositories);
    await counted(repositories);
    runner.wake();
    await runner.stop();
    const expected = {
      calls: 1,
      answered: 1,
      duration_ms: 61_000,
      cost: 0.25,
      cost_llm: 0.25,
      turns: 4,
      interruptions: 2,
    };
    expect(await sumsOf(repositories)).toMatchObject(expected);
    const use = await repositories.analytics.usage(DEFAULT_ORGANIZATION_ID, {
      ...YEAR,
      interval: 'day',
      agentId: null,
    });
    expect(use).toMatchObject([{ provider: 'openai', model: 'gpt', sums: { calls: 1, input_tokens: 120 } }]);
  });

  it('adds its silences, its tools and the response times of its turns', async () => {
    const database = await temporaryDatabase();
    const repositories = createRepositories(database);
    const agentId = await storeAgent(database);
    await storeTimelineCall(repositories, agentId);
    await endTimelineCall(repositories);
    started(repositories);
    await counted(repositories);
    const sums = await sumsOf(repositories);
    expect(sums?.silences).toBeGreaterThan(0);
    expect(sums?.silence_ms).toBeGreaterThan(1_000);
    expect(sums?.tool_calls).toBeGreaterThan(0);
    const times = { ...YEAR, interval: 'total', groupBy: 'agent_id', agentId } as const;
    const [row] = await repositories.analytics.responseTimes(DEFAULT_ORGANIZATION_ID, times);
    expect(row?.group).toBe(agentId);
    expect(row?.counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
  });

  it('does not block the others if its records cannot be counted', async () => {
    const database = await temporaryDatabase();
    const stored = createRepositories(database);
    const agentId = await storeAgent(database);
    const calls = [newCall(agentId), newCall(agentId)];
    for (const call of calls) {
      await stored.calls.createCall(call);
      await stored.calls.finish(call.id, { status: 'failed', endReason: 'sip_error', atMs: START_MS });
    }
    const malformed: TurnRecord[] = JSON.parse('[null]');
    const turns = async (callId: string) => (callId === calls[0]?.id ? malformed : []);
    const repositories = { ...stored, journal: { ...stored.journal, turns } };
    started(repositories);
    await counted(repositories);
    expect(await sumsOf(repositories)).toMatchObject({ calls: 1 });
  });

  it('still counts if its content was deleted before', async () => {
    const database = await temporaryDatabase();
    const repositories = createRepositories(database);
    const call = newCall(await storeAgent(database));
    await repositories.calls.createCall(call);
    await repositories.calls.finish(call.id, { status: 'failed', endReason: 'sip_error', atMs: START_MS });
    await repositories.callDeletion.deleteContent(call.id, START_MS);
    started(repositories);
    await counted(repositories);
    expect(await sumsOf(repositories)).toMatchObject({ calls: 1, answered: 0, silences: 0 });
  });

  it('is found by what both sides said, not by what its tools returned, and by its text alone if it was counted before', async () => {
    const database = await temporaryDatabase();
    const repositories = createRepositories(database);
    await storeTimelineCall(repositories, await storeAgent(database));
    await endTimelineCall(repositories);
    const job = { call_id: TIMELINE_CALL_ID, counted: 1 };
    await database.query.updateTable('call_rollup_jobs').set(job).execute();
    started(repositories);
    await counted(repositories);
    const page = { mode: 'cursor', beforeUs: null, limit: 5 } as const;
    const found = async (transcript: string) =>
      (await repositories.callLists.list(DEFAULT_ORGANIZATION_ID, { transcript }, page)).items.map(({ id }) => id);
    const entries = await repositories.journal.transcript(TIMELINE_CALL_ID);
    for (const { content, role } of entries) {
      const isHeard = role === 'user' || role === 'agent';
      if (content !== '') expect(await found(`"${content}"`)).toEqual(isHeard ? [TIMELINE_CALL_ID] : []);
    }
    expect(new Set(entries.map(({ role }) => role)).size).toBeGreaterThan(2);
    expect(await sumsOf(repositories)).toBeUndefined();
  });

  it('gets its longest response time from its turns, or its median without them, also if it ended before that was stored', async () => {
    const database = await temporaryDatabase();
    const repositories = createRepositories(database);
    const agentId = await storeAgent(database);
    await storeTimelineCall(repositories, agentId);
    await endTimelineCall(repositories);
    const older = newCall(agentId);
    const running = newCall(agentId);
    const metrics = { response_ms: { median: 400, p95: 500 } };
    for (const call of [older, running]) await repositories.calls.createCall(call);
    await repositories.calls.finish(older.id, {
      status: 'completed',
      endReason: 'silence',
      atMs: START_MS,
      patch: { metrics },
    });
    await repositories.calls.update(running.id, { metrics });
    await repositories.calls.update(TIMELINE_CALL_ID, { metrics });
    const clock = new FakeClock();
    const runner = started(repositories, clock);
    const slowest = async (id: string) => (await repositories.calls.find(id))?.slowestResponseMs;
    const filled = async () => {
      // Ends the pause after a round.
      clock.advance(1_000);
      expect(await repositories.rollups.withoutSlowestResponse(1)).toEqual([]);
    };
    await vi.waitFor(filled, { timeout: 10_000, interval: 10 });
    await runner.stop();
    const times = (await repositories.journal.turns(TIMELINE_CALL_ID)).map(({ heardMs }) => heardMs ?? 0);
    expect(await slowest(TIMELINE_CALL_ID)).toBe(Math.max(...times));
    expect(await slowest(older.id)).toBe(400);
    expect(await slowest(running.id)).toBeNull();
  });
});
