import { afterAll, describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import type { MappingJob } from '../../../../src/calls/custom-functions/mapping-job.ts';
import { MappingPool } from '../../../../src/calls/custom-functions/mapping-pool.ts';
import {
  type MappingOutcome,
  mapResponse,
  type ResponseMapping,
} from '../../../../src/calls/custom-functions/response-mapping.ts';

const TIMEOUT_MS = 20_000;
const BUSY = { mapped: [], problems: ['too many responses are being read: try again'] };

function mapping(...paths: string[]): ResponseMapping {
  return paths.map((path, index) => ({ json_path_to_data: path, destination_variable: `v${index}` }));
}

describe('the mapping pool', () => {
  const pool = new MappingPool();
  afterAll(() => pool?.close());
  const DOCUMENT = '{"slots":[{"time":"19:30","free":2},{"time":"21:00","free":0}],"ok":true}';
  /** Each step multiplies the number of nodes, so the evaluation never ends. */
  const ENDLESS_PATH = `$${'..*'.repeat(12)}`;
  const DEEP_DOCUMENT = `${'[1,'.repeat(60)}1${']'.repeat(60)}`;

  it('returns the same as mapping in the main thread', async () => {
    const job = { text: DOCUMENT, mapping: mapping('$.slots[?@.free > 0].time', '$..free') };
    expect(await pool.map('a', job, TIMEOUT_MS)).toEqual(mapResponse(job.text, job.mapping));
    expect(await pool.map('a', { text: '{', mapping: mapping('$') }, TIMEOUT_MS)).toMatchObject({ mapped: [] });
  });

  it('stops an endless path while others are served, and continues afterwards', async () => {
    const endless = pool.map('a', { text: DEEP_DOCUMENT, mapping: mapping(ENDLESS_PATH) }, TIMEOUT_MS);
    const ok = { text: DOCUMENT, mapping: mapping('$.ok') };
    expect((await pool.map('a', ok, TIMEOUT_MS)).mapped).toEqual([{ variable: 'v0', value: true }]);
    const outcome = await endless;
    expect(outcome.mapped).toEqual([]);
    expect(outcome.problems[0]).toMatch(/too long|too much memory/);
    expect((await pool.map('a', ok, TIMEOUT_MS)).mapped).toHaveLength(1);
  });
});

/** A pool on a simulated clock, whose processes answer when the test says so. */
function simulatedPool() {
  const clock = new SimulatedClock();
  /** The text of each started job → its end. */
  const running = new Map<string, () => void>();
  const pool = new MappingPool(clock, () => ({
    isOver: false,
    run: ({ text }: MappingJob) =>
      new Promise((resolve) => {
        running.set(text, () => {
          running.delete(text);
          resolve({ type: 'answered', answer: { mapped: [], problems: [text] } });
        });
      }),
    end: () => {},
  }));
  const map = (organizationId: string, text: string, timeoutMs = TIMEOUT_MS): Promise<MappingOutcome> =>
    pool.map(organizationId, { text, mapping: mapping('$') }, timeoutMs);
  return { clock, map, pool, running };
}

describe('the mapping pool, when jobs wait', () => {
  it('keeps a process for another organization than the one that has all other processes', () => {
    const { map, running } = simulatedPool();
    for (const text of ['a1', 'a2', 'a3', 'a4']) void map('a', text);
    expect([...running.keys()]).toEqual(['a1', 'a2']);
    void map('b', 'b1');
    expect([...running.keys()]).toEqual(['a1', 'a2', 'b1']);
  });

  it('gives a free process to the organization that has used least process time', async () => {
    const { clock, map, running } = simulatedPool();
    const jobs = new Map(['a1', 'a2', 'b1', 'a3', 'c1'].map((text) => [text, map(text[0] ?? '', text)]));
    expect([...running.keys()]).toEqual(['a1', 'a2', 'b1']);
    clock.advance(1_000);
    running.get('a1')?.();
    await jobs.get('a1');
    expect([...running.keys()]).toEqual(['a2', 'b1', 'c1']);
  });

  it('fails a waiting job at its own deadline, while the processes are busy', async () => {
    const { clock, map, running } = simulatedPool();
    for (const text of ['a1', 'a2']) void map('a', text);
    const waiting = map('a', 'a3', 5_000);
    clock.advance(5_000);
    expect(await waiting).toEqual(BUSY);
    running.get('a1')?.();
    expect(running.has('a3')).toBe(false);
  });

  it('refuses jobs of an organization that has half of the queue, and accepts those of another one', async () => {
    const { map, pool } = simulatedPool();
    const jobs = Array.from({ length: 40 }, (_, index) => map('a', `a${index}`));
    const others = Array.from({ length: 20 }, (_, index) => map('b', `b${index}`));
    pool.close();
    const isBusy = (outcome: MappingOutcome) => outcome.problems[0] === BUSY.problems[0];
    // Two run, 32 wait.
    void Promise.all(jobs.slice(0, 2));
    expect((await Promise.all(jobs.slice(2))).filter(isBusy)).toHaveLength(40 - 34);
    expect((await Promise.all(others.slice(1))).filter(isBusy)).toHaveLength(20 - 17);
  });

  it('leaves no timer once its jobs have ended', async () => {
    const { clock, map, pool, running } = simulatedPool();
    const [first, second] = [map('a', 'a1'), map('a', 'a2')];
    const waiting = map('a', 'a3');
    running.get('a1')?.();
    running.get('a2')?.();
    await Promise.all([first, second]);
    running.get('a3')?.();
    await waiting;
    pool.close();
    expect(clock.pending).toBe(0);
  });
});
