import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from '../../../test/service/rig/api-client.ts';

export interface ServiceOfTree {
  readonly api: ApiClient;
  readonly sipPort: number;
  readonly log: () => string;
  stop(): Promise<void>;
}

const API_KEY = 'tl_key_of_the_hearing_bench_0123456789';
const START_MS_MAX = 90_000;
const OUTPUT_CHARACTERS_MAX = 4_000_000;

/** The service of a checked-out tree, in a separate process. */
export async function startServiceOf(
  tree: string,
  environment: Readonly<Record<string, string>>,
): Promise<ServiceOfTree> {
  const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-hearing-'));
  const child = spawn(process.execPath, [join(tree, 'src/cli.ts'), 'start'], {
    // A folder without a `.env` of the developer.
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HTTP_PORT: '0',
      METRICS_BIND: 'off',
      SIP_PORT: '0',
      TRUNKLINE_API_KEY: API_KEY,
      HTTP_ALLOW_ADDRESSES: '127.0.0.1/32',
      PHRASE_CACHE_MB: '0',
      ADMISSION_LATENESS_MS: '1000',
      RATE_LIMIT_PER_MINUTE: '1000000',
      RATE_LIMIT_PER_HOUR: '1000000',
      ...environment,
      DATA_DIR: dataDir,
    },
  });
  let output = '';
  const started = new Promise<{ readonly httpUrl: string; readonly sipPort: number }>((done, fail) => {
    const timer = setTimeout(() => fail(new Error(`the service did not start:\n${output}`)), START_MS_MAX);
    const read = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-OUTPUT_CHARACTERS_MAX);
      const httpUrl = /^HTTP {2}(\S+)/m.exec(output)?.[1];
      const sipPort = /^SIP .*?:(\d+)/m.exec(output)?.[1];
      if (httpUrl === undefined || sipPort === undefined) return;
      clearTimeout(timer);
      done({ httpUrl, sipPort: Number(sipPort) });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', (code) => fail(new Error(`the service ended with ${code}:\n${output}`)));
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const { httpUrl, sipPort } = await started;
    return { api: new ApiClient(httpUrl, API_KEY), sipPort, log: () => output, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
