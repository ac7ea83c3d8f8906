import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ApiClient } from './api-client.ts';
import { RECORDED, replayLiveCalls } from './live-tapes.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
/** A start takes two to three seconds of CPU time, and much longer on a busy machine. */
const START_TIMEOUT_MS = 90_000;

export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly api: ApiClient;
  readonly httpUrl: string;
  readonly sipPort: number;
  readonly dataDir: string;
  /** Output so far, log lines included. */
  output(): string;
  /** Sends SIGKILL, waits for the exit, and replays the calls so far, as `stop` does. */
  kill(): Promise<void>;
  /** Sends SIGTERM, waits for the exit, and returns the exit code. */
  stop(): Promise<number | null>;
}

/** `TEST_CALL_HOSTS=2 npx vitest run --project live` runs the live tests with two call hosts. */
export const TEST_CALL_HOSTS = process.env.TEST_CALL_HOSTS ?? '0';

export const TEST_API_KEY = 'tl_test_key_of_the_test_suite_0123456789';

/**
 * The service in its own process, on free loopback ports unless the environment sets them.
 *
 * @param before shell command that sets limits of the process, such as `ulimit -n 700`
 */
export async function startServiceProcess(
  environment: Record<string, string> = {},
  before = ':',
): Promise<ServiceProcess> {
  const dataDir = environment.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'trunkline-service-')));
  const command = [process.execPath, join(ROOT, 'src/cli.ts'), 'start'];
  const child = spawn('/bin/sh', ['-c', `${before} && exec "$0" "$@"`, ...command], {
    // A folder without a `.env` of the developer.
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      HTTP_PORT: '0',
      METRICS_BIND: '127.0.0.1:0',
      SIP_PORT: '0',
      TRUNKLINE_API_KEY: TEST_API_KEY,
      LOG_LEVEL: 'info',
      ADMISSION_LATENESS_MS: '1000',
      CALL_HOSTS: TEST_CALL_HOSTS,
      ...environment,
      DATA_DIR: dataDir,
    },
  });
  let output = '';
  const announced = new Promise<{ httpUrl: string; sipPort: number }>((done, fail) => {
    const timer = setTimeout(() => {
      // No test gets this process, so it must end here.
      child.kill('SIGKILL');
      fail(new Error(`the service did not start:\n${output}`));
    }, START_TIMEOUT_MS);
    const read = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-2_000_000);
      const http = /^HTTP {2}(\S+)/m.exec(output)?.[1];
      const sip = /^SIP .*?:(\d+)/m.exec(output)?.[1];
      if (http === undefined || sip === undefined) return;
      clearTimeout(timer);
      done({ httpUrl: http, sipPort: Number(sip) });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', (code) => fail(new Error(`the service ended with ${code}:\n${output}`)));
  });
  const { httpUrl, sipPort } = await announced;
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, 'exit');
    }
    await replayLiveCalls(dataDir);
  };
  return {
    child,
    api: new ApiClient(httpUrl, environment.TRUNKLINE_API_KEY ?? TEST_API_KEY, RECORDED),
    httpUrl,
    sipPort,
    dataDir,
    output: () => output,
    kill: () => end('SIGKILL'),
    stop: async () => {
      await end('SIGTERM');
      return child.exitCode;
    },
  };
}
