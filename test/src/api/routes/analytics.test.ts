import { expect, it } from 'vitest';
import { callRollup } from '../../../../src/background/analytics/call-rollup.ts';
import { newCall, START_MS } from '../../storage/temporary-database.ts';
import { createAgent, OTHER_KEY, sharedApi, type TestApi, testApi } from '../test-api.ts';

const shared = sharedApi();
const HOUR_MS = 3_600_000;

/** An ended call that is in the rollups. */
async function countedCall(api: TestApi, agentId: string, nowMs: number, direction: 'inbound' | 'outbound') {
  const { calls, rollups } = api.repositories;
  const call = newCall(agentId, { nowMs, direction });
  await calls.createCall(call);
  const providers = [{ kind: 'voice', provider: 'cartesia', model: null, characters: 90, cost: 0.4 }];
  const metrics = { turns: 2, interruptions: 1, cost: { telephony: 0.1, voice: 0.4 }, providers };
  const end = { status: 'completed', endReason: 'silence', atMs: nowMs + 5_000 } as const;
  await calls.finish(call.id, { ...end, patch: { startMs: nowMs, cost: 0.5, metrics } });
  const stored = await calls.find(call.id);
  if (stored === null) throw new Error('the call is not stored');
  const user = {
    sequence: 1,
    endedBy: 'pause',
    score: null,
    reasons: [],
    endedMs: 300,
    committedMs: 1_000,
    reopened: 0,
    amended: 0,
    corrected: false,
  } as const;
  const turn = {
    turn: 1,
    startUs: nowMs * 1_000,
    user,
    utterance: 1,
    askedMs: [300],
    firstTokenMs: 600,
    voiceRequestedMs: 700,
    firstAudioMs: 900,
    heardMs: 1_000,
    answerHeardMs: 1_000,
    fillersMs: [],
    tools: [],
    interrupted: false,
    falseInterruptions: 0,
    ducked: 0,
    echoWords: 0,
  };
  await rollups.add([callRollup({ call: stored, transcript: [], turns: [turn], spans: [] })], []);
}

it('counts the calls of an organization by interval and group, with response times and usage', async () => {
  const api = await testApi();
  const agentId = await createAgent(api);
  await countedCall(api, agentId, START_MS, 'inbound');
  await countedCall(api, agentId, START_MS + HOUR_MS, 'inbound');
  await countedCall(api, agentId, START_MS + HOUR_MS, 'outbound');
  const range = 'from=2026-01-01T00:10:00Z&to=2026-01-01T23:00:00Z';
  const read = async (path: string, key?: string) => (await api.ask('GET', path, undefined, key)).body.data;

  const days = await read(`/v1/analytics/calls?${range}&group_by=direction`);
  expect(days).toMatchObject({
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-02T00:00:00.000Z',
    rows: [
      { start_time: '2026-01-01T00:00:00.000Z', group: 'inbound', calls: 2, answered_calls: 2, duration_seconds: 10 },
      { group: 'outbound', calls: 1, turns: 2, interruptions: 1, cost: { total: 0.5, voice: 0.4, llm: 0 } },
    ],
  });
  const hours = await read(`/v1/analytics/calls?${range}&interval=hour&direction=inbound`);
  expect(hours).toMatchObject({
    rows: [
      { start_time: '2026-01-01T00:00:00.000Z', group: null, calls: 1 },
      { start_time: '2026-01-01T01:00:00.000Z', calls: 1 },
    ],
  });
  expect(await read(`/v1/analytics/calls?${range}&interval=total&end_reason=busy`)).toMatchObject({ rows: [] });

  const times = await read(`/v1/analytics/response-times?${range}&interval=total&group_by=voice`);
  expect(times).toMatchObject({ rows: [{ start_time: null, group: 'cartesia', turns: 3 }] });
  const byAgent = await read(`/v1/analytics/response-times?${range}&group_by=agent_id&agent_id=${agentId}`);
  expect(byAgent).toMatchObject({ rows: [{ group: agentId, turns: 3, p50_ms: expect.any(Number) }] });
  const used = await read(`/v1/usage?${range}`);
  expect(used).toMatchObject({
    rows: [{ kind: 'voice', provider: 'cartesia', model: null, calls: 3, characters: 270 }],
  });

  expect(await read(`/v1/analytics/costs?${range}&interval=total`)).toMatchObject({
    rows: [
      { start_time: null, kind: 'telephony', provider: null, model: null, calls: 3, cost: 0.3 },
      { start_time: null, kind: 'voice', provider: 'cartesia', model: null, calls: 3, cost: 1.2 },
    ],
  });
  const costOfAgent = await read(`/v1/analytics/costs?${range}&group_by=model&agent_id=${agentId}`);
  expect(costOfAgent).toMatchObject({ rows: [{ start_time: '2026-01-01T00:00:00.000Z' }, { cost: 1.2 }] });

  const paths = ['/v1/analytics/calls', '/v1/analytics/response-times', '/v1/analytics/costs', '/v1/usage'];
  for (const path of paths) {
    expect(await read(`${path}?${range}`, OTHER_KEY)).toMatchObject({ rows: [] });
  }
});

it.each([
  ['/v1/analytics/calls?from=yesterday', 'from'],
  ['/v1/analytics/calls?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'to'],
  ['/v1/analytics/calls?interval=hour&from=2025-12-01T00:00:00Z&to=2026-01-02T00:00:00Z', 'from'],
  ['/v1/analytics/calls?from=2024-01-01T00:00:00Z&to=2026-01-02T00:00:00Z', 'from'],
  ['/v1/analytics/calls?interval=week', 'interval'],
  ['/v1/analytics/calls?group_by=status', 'group_by'],
  ['/v1/analytics/calls?end_reason=bored', 'end_reason'],
  ['/v1/analytics/response-times?interval=hour', 'interval'],
  ['/v1/analytics/response-times?group_by=model', 'group_by'],
  ['/v1/analytics/costs?group_by=agent_id', 'group_by'],
  ['/v1/analytics/costs?interval=hour', 'interval'],
  ['/v1/usage?agent_id=7', 'agent_id'],
])('GET %s is refused with the name of the field', async (path, field) => {
  const { status, body } = await shared().ask('GET', path);
  expect([status, body.error.type]).toEqual([422, 'validation_error']);
  expect(body.error.details).toMatchObject([{ field }]);
});
