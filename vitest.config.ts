import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

/** The file of the machine-readable report, for CI. */
const report = process.env.VITEST_JSON;

/** Tests that kill processes, flood the service, run software other than Node against it, or take more than fifteen seconds. */
const SYSTEM = [
  'test/peers/*.test.ts',
  'test/console/browser/*.test.ts',
  'test/engine/history-summary/long-history.call.test.ts',
  'test/engine/properties/soak.test.ts',
  'test/security/{broad-range,event-streams,idle-connections,knowledge-queue,listed-flood}.test.ts',
  'test/security/{rtp-to-third-party,toll-fraud,trunk-scan,upload-memory,webhook-sequence}.test.ts',
  'test/service/background/post-call.test.ts',
  'test/service/{privacy,recovery}/*.test.ts',
  'test/service/start/{start,start-failure}.test.ts',
  'test/service/tape/tapes.test.ts',
  'test/sip/contract/{lost-messages,session-timers,sipp}.test.ts',
  'test/sip/media/detection/echo/echo-detector.test.ts',
  'test/src/api/clients/*.test.ts',
  'test/src/api/document/walk.test.ts',
  'test/src/background/knowledge/source-reader.test.ts',
  'test/src/background/webhooks/thousand-events.test.ts',
  'test/src/storage/events/event-sequence.test.ts',
];
/** Tests that build the console and the package, which the tests of the console serve: they run alone. */
const PACKAGE = ['test/package/*.test.ts'];
/** Tests of calls in real time, of processes, of the API over its database, and of random input. */
const LIVE = [
  'test/{service,security,caller}/**/*.test.ts',
  'test/adapters/espeak/voice.test.ts',
  'test/engine/properties/*.test.ts',
  'test/sip/{contract,media,recorder,signalling}/**/*.test.ts',
  'test/sip/heartbeat/heartbeat.test.ts',
  'test/src/{api,background,backup,cli,conversation-test,object-storage,storage,text-call}/**/*.test.ts',
  'test/src/cli.test.ts',
];
/** Enough to use two cores while most of them wait. */
const LIVE_WORKERS = 6;
/** More than the number of cores: the contracts of adapters spend a third of their time waiting for timeouts. */
const QUICK_WORKERS = 4;

export default defineConfig({
  // The builds of our dependencies that the service runs: not those for development, nor those for bundlers (`module`), which Node cannot load.
  ssr: { resolve: { conditions: ['node'] } },
  test: {
    // In each worker, before its test files.
    setupFiles: ['test/property-seed.ts'],
    globalSetup: ['test/postgres/global-setup.ts', 'test/temporary-folder.ts'],
    // These only bound a hang: starting three processes takes a minute on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    maxConcurrency: 8,
    // One process runs many files: loading our modules once a file took more than the tests themselves.
    isolate: false,
    // The processes and threads of the tests share compiled modules.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.compile-cache') },
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: [...LIVE, ...SYSTEM, ...PACKAGE],
          maxWorkers: QUICK_WORKERS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'live',
          include: LIVE,
          exclude: SYSTEM,
          maxWorkers: LIVE_WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: SYSTEM,
          maxWorkers: LIVE_WORKERS,
          // A rotation of the master key starts nine processes: half a minute alone, minutes beside five other files.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 2 },
        },
      },
      { extends: true, test: { name: 'package', include: PACKAGE, maxWorkers: 1, sequence: { groupOrder: 3 } } },
    ],
  },
});
