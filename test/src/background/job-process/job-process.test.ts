import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { JobProcess } from '../../../../src/background/job-process/job-process.ts';
import type { TestJob } from './test-job.ts';

const SCRIPT = new URL('./test-job.ts', import.meta.url);
const TIMEOUT_MS = 60_000;
const started: JobProcess<TestJob, string, string, string>[] = [];

function startProcess(): JobProcess<TestJob, string, string, string> {
  const jobProcess = new JobProcess<TestJob, string, string, string>(SCRIPT, { heapMib: 64, residentMib: 400 });
  started.push(jobProcess);
  return jobProcess;
}

afterEach(() => {
  for (const jobProcess of started.splice(0)) jobProcess.end();
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a job process', () => {
  it('runs one job after the other', async () => {
    const jobProcess = startProcess();
    for (const text of ['a', 'b', 'ü'.repeat(1_000_000)]) {
      expect(await jobProcess.run({ what: 'echo', text }, TIMEOUT_MS)).toEqual({ type: 'answered', answer: text });
    }
    expect(jobProcess.isOver).toBe(false);
  });

  it('exchanges messages with a running job, and ignores them afterwards', async () => {
    const jobProcess = startProcess();
    const received: string[] = [];
    const onMessage = (message: string) => {
      received.push(message);
      jobProcess.post('yes');
    };
    const outcome = await jobProcess.run({ what: 'asks', text: 'may I?' }, TIMEOUT_MS, onMessage);
    expect(outcome).toEqual({ type: 'answered', answer: 'heard yes' });
    jobProcess.post('too late');
    expect(await jobProcess.run({ what: 'echo', text: 'a' }, TIMEOUT_MS, onMessage)).toMatchObject({ answer: 'a' });
    expect(received).toEqual(['may I?']);
    jobProcess.end();
    jobProcess.post('too late');
  });

  it.each([
    ['fills the heap', 'too_much_memory'],
    ['fills memory beside the heap', 'too_much_memory'],
    ['throws', 'failed'],
  ] as const)('exits without harm to its parent at a job that %s', async (what, type) => {
    const jobProcess = startProcess();
    expect(await jobProcess.run({ what }, TIMEOUT_MS)).toEqual({ type });
    expect(jobProcess.isOver).toBe(true);
    expect(await jobProcess.run({ what: 'echo' }, TIMEOUT_MS)).toEqual({ type: 'failed' });
  });

  it('is killed when a job takes too long', async () => {
    const jobProcess = startProcess();
    await jobProcess.run({ what: 'echo' }, TIMEOUT_MS);
    expect(await jobProcess.run({ what: 'never ends' }, 50)).toEqual({ type: 'too_long' });
    await vi.waitFor(() => expect(isAlive(jobProcess.pid)).toBe(false), TIMEOUT_MS);
  });

  it('reports a job that was ended as failed', async () => {
    const jobProcess = startProcess();
    const outcome = jobProcess.run({ what: 'never ends' }, TIMEOUT_MS);
    jobProcess.end();
    expect(await outcome).toEqual({ type: 'failed' });
  });

  it('has no environment variables, and so no API keys', async () => {
    const outcome = await startProcess().run({ what: 'environment' }, TIMEOUT_MS);
    expect(outcome).toEqual({ type: 'answered', answer: expect.stringMatching(/^(NODE_[A-Z_]+,?)*$/) });
  });

  it('ends with its parent process, even after a kill', async () => {
    const parent = spawn(process.execPath, [fileURLToPath(new URL('./orphan.ts', import.meta.url))], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(parent.stdout, 'data');
    const pid = Number(String(line));
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), TIMEOUT_MS);
  });
});
