import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { JobProcess } from '../../../../src/background/job-process/job-process.ts';
import type { OddJob } from './odd-job.ts';

const SCRIPT = new URL('./odd-job.ts', import.meta.url);
const BOUND_MS = 60_000;
const started: JobProcess<OddJob, string>[] = [];

function oddProcess(): JobProcess<OddJob, string> {
  const odd = new JobProcess<OddJob, string>(SCRIPT, { heapMib: 64, residentMib: 400 });
  started.push(odd);
  return odd;
}

afterEach(() => {
  for (const odd of started.splice(0)) odd.end();
});

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a job process', () => {
  it('runs one job after the other', async () => {
    const odd = oddProcess();
    for (const text of ['a', 'b', 'ü'.repeat(1_000_000)]) {
      expect(await odd.run({ what: 'echo', text }, BOUND_MS)).toEqual({ type: 'answered', answer: text });
    }
    expect(odd.isOver).toBe(false);
  });

  it.each([
    ['fills the heap', 'too_much_memory'],
    ['fills memory beside the heap', 'too_much_memory'],
    ['throws', 'failed'],
  ] as const)('dies alone of a job that %s', async (what, type) => {
    const odd = oddProcess();
    expect(await odd.run({ what }, BOUND_MS)).toEqual({ type });
    expect(odd.isOver).toBe(true);
    expect(await odd.run({ what: 'echo' }, BOUND_MS)).toEqual({ type: 'failed' });
  });

  it('is killed when a job takes too long', async () => {
    const odd = oddProcess();
    await odd.run({ what: 'echo' }, BOUND_MS);
    expect(await odd.run({ what: 'never ends' }, 50)).toEqual({ type: 'too_long' });
    await vi.waitFor(() => expect(lives(odd.pid)).toBe(false), BOUND_MS);
  });

  it('reports a job that was ended as failed', async () => {
    const odd = oddProcess();
    const outcome = odd.run({ what: 'never ends' }, BOUND_MS);
    odd.end();
    expect(await outcome).toEqual({ type: 'failed' });
  });

  it('has no environment variables, and so no API keys', async () => {
    const outcome = await oddProcess().run({ what: 'environment' }, BOUND_MS);
    expect(outcome).toEqual({ type: 'answered', answer: expect.stringMatching(/^(NODE_[A-Z_]+,?)*$/) });
  });

  it('ends with its parent process, also after a kill', async () => {
    const giver = spawn(process.execPath, [fileURLToPath(new URL('./orphan.ts', import.meta.url))], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(giver.stdout, 'data');
    const pid = Number(String(line));
    expect(lives(pid)).toBe(true);
    giver.kill('SIGKILL');
    await vi.waitFor(() => expect(lives(pid)).toBe(false), BOUND_MS);
  });
});
