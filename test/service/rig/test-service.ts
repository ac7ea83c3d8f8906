import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfiguration } from '../../../src/configuration/configuration.ts';
import { settingsOf } from '../../../src/configuration/settings.ts';
import { createLogger } from '../../../src/log/log.ts';
import { type Service, type ServiceOptions, startService } from '../../../src/service/service.ts';
import { ApiClient } from './api-client.ts';
import { RECORDED, replayLiveCalls } from './live-tapes.ts';
import { TEST_API_KEY, TEST_CALL_HOSTS } from './service-process.ts';

export interface TestService {
  readonly service: Service;
  readonly api: ApiClient;
  readonly sipPort: number;
  readonly dataDir: string;
  /** Log lines so far. */
  readonly log: () => string;
  /** Stops the service and replays each call. Rejects when a replay issues other commands. */
  close(): Promise<void>;
}

/** Each vitest worker has its own range, so that two services never compete for a port. */
const RTP_FIRST_PORT = 20_000;
const RTP_PORTS_PER_WORKER = 1_200;

/** The whole service in this process, on free ports and a fresh data directory. */
export async function startTestService(
  environment: Record<string, string> = {},
  options: Partial<ServiceOptions> = {},
): Promise<TestService> {
  const dataDir = environment.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'trunkline-test-')));
  const worker = Number(process.env.VITEST_POOL_ID ?? '0') % 8;
  const first = RTP_FIRST_PORT + worker * RTP_PORTS_PER_WORKER;
  const variables = {
    HTTP_PORT: '0',
    METRICS_BIND: '127.0.0.1:0',
    SIP_PORT: '0',
    RTP_PORTS: `${first}-${first + RTP_PORTS_PER_WORKER - 1}`,
    TRUNKLINE_API_KEY: TEST_API_KEY,
    HTTP_ALLOW_ADDRESSES: '127.0.0.1/32',
    // Without a phrase cache, a voice gets requests only for spoken text. Tests count them.
    PHRASE_CACHE_MB: '0',
    LOG_LEVEL: 'info',
    // Late packets on a busy machine must not refuse a call.
    ADMISSION_LATENESS_MS: '1000',
    CALL_HOSTS: TEST_CALL_HOSTS,
    // Tests poll often.
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_PER_HOUR: '1000000',
    ...environment,
    DATA_DIR: dataDir,
  };
  const configuration = loadConfiguration(variables);
  let lines = '';
  const destination = {
    write(line: string) {
      lines = (lines + line).slice(-4_000_000);
    },
  };
  const log = createLogger({ level: configuration.logLevel, secrets: [TEST_API_KEY], destination });
  const service = await startService({ configuration, settings: settingsOf(variables), log, ...options });
  return {
    service,
    api: new ApiClient(service.httpUrl, TEST_API_KEY, RECORDED),
    sipPort: service.signalling.addresses.find(({ transport }) => transport === 'udp')?.port ?? 0,
    dataDir,
    log: () => lines,
    close: async () => {
      await service.stop(0);
      await replayLiveCalls(dataDir);
      if (environment.DATA_DIR === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
