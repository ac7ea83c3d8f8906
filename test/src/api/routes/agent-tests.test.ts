import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentTestRequest, AgentTestRun } from '../../../../src/conversation-test/agent-test-runs.ts';
import { ADMIN_KEY, createAgent, OTHER_KEY, READ_KEY, testApi } from '../test-api.ts';

const CONTENT = 'model: script\nconversations: [{ name: one, turns: [{ user: a, model: [b] }] }]\n';
const NOTHING: AgentTestRun = { faults: [], conversations: 0, reports: [], stopped: null };
const REPORT = { name: 'one', durationMs: 12, failure: null, transcript: [] };

const answer = z.object({ data: z.record(z.string(), z.unknown()), message: z.string() });

/** An API whose test runs have this outcome; null: another run is in progress. */
async function apiWith(outcome: AgentTestRun | null) {
  const requests: AgentTestRequest[] = [];
  const api = await testApi({
    agentTests: {
      run(request) {
        requests.push(request);
        return outcome === null ? null : Promise.resolve(outcome);
      },
    },
  });
  const run = async (id: string, body: unknown, key?: string) => {
    const { headers, status, text } = await api.ask('POST', `/v1/agents/${id}/tests`, body, key);
    return { headers, status, text, data: status === 200 ? answer.parse(JSON.parse(text)).data : null };
  };
  return { api, requests, run };
}

describe('POST /v1/agents/{id}/tests', () => {
  it('runs the file against the active version, or the version that is asked for, also a draft', async () => {
    const { api, requests, run } = await apiWith({ ...NOTHING, conversations: 1, reports: [REPORT] });
    const id = await createAgent(api);
    await api.ask('PATCH', `/v1/agents/${id}?publish=false`, { base_prompt: 'Be brief.' });
    expect((await run(id, { content: CONTENT })).data).toEqual({
      status: 'passed',
      version: 1,
      passed: 1,
      failed: 0,
      left_out: 0,
      stopped: null,
      faults: [],
      conversations: [{ name: 'one', passed: true, duration_ms: 12, failure: null, transcript: [] }],
    });
    expect((await run(id, { content: CONTENT, version: 2 })).data).toMatchObject({ version: 2 });
    expect(requests.map(({ configuration }) => configuration.base_prompt)).toEqual(['', 'Be brief.']);
    expect(requests[0]?.content).toBe(CONTENT);
  });

  it('fails a file with a failed conversation, and one that was stopped', async () => {
    const happened = [{ kind: 'digits', text: '12#' }] as const;
    const failure = { where: 'turn 1, dtmf: 12#', reasons: ['expected text "a"'], happened };
    const failed = await apiWith({
      ...NOTHING,
      conversations: 3,
      reports: [REPORT, { ...REPORT, failure, transcript: happened }],
      stopped: 'too_long',
    });
    expect((await failed.run(await createAgent(failed.api), { content: CONTENT })).data).toMatchObject({
      status: 'failed',
      passed: 1,
      failed: 1,
      left_out: 1,
      stopped: 'too_long',
      conversations: [{ passed: true }, { passed: false, failure: { ...failure, happened: [{ kind: 'dtmf' }] } }],
    });
    const stopped = await apiWith({ ...NOTHING, conversations: 2, reports: [REPORT], stopped: 'too_much_memory' });
    expect((await stopped.run(await createAgent(stopped.api), { content: CONTENT })).data?.status).toBe('failed');
  });

  it('returns the faults of a file that cannot run', async () => {
    const faults = [{ line: 3, column: 5, field: 'conversations[0].turns', message: 'expected a list' }];
    const { api, run } = await apiWith({ ...NOTHING, faults });
    expect((await run(await createAgent(api), { content: 'a: [' })).data).toMatchObject({ status: 'not_run', faults });
  });

  it('needs the scope write and an agent of the organization', async () => {
    const { api, requests, run } = await apiWith(NOTHING);
    const id = await createAgent(api);
    expect((await run(id, { content: CONTENT }, READ_KEY)).status).toBe(403);
    expect((await run(id, { content: CONTENT }, OTHER_KEY)).status).toBe(404);
    expect((await run(id, { content: CONTENT, version: 9 })).status).toBe(404);
    expect((await run(id, { content: '' })).status).toBe(422);
    expect((await run(id, { content: 'a'.repeat(262_145) })).status).toBe(422);
    expect(requests).toEqual([]);
  });

  it('returns 503 with Retry-After while another file runs', async () => {
    const { api, run } = await apiWith(null);
    const { headers, status } = await run(await createAgent(api), { content: CONTENT });
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('2');
  });

  it('ends the run with its connection', async () => {
    const signals: AbortSignal[] = [];
    const api = await testApi({
      agentTests: {
        run(_request, signal) {
          signals.push(signal);
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve(NOTHING)));
        },
      },
    });
    const id = await createAgent(api);
    const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
    const leave = new AbortController();
    const request = fetch(`${url}/v1/agents/${id}/tests`, {
      method: 'POST',
      headers: { 'x-api-key': ADMIN_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ content: CONTENT }),
      signal: leave.signal,
    });
    await expect.poll(() => signals.length, { timeout: 60_000 }).toBe(1);
    leave.abort();
    await expect(request).rejects.toThrow();
    await expect.poll(() => signals[0]?.aborted, { timeout: 60_000 }).toBe(true);
  });
});
