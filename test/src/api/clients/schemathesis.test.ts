import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startServiceProcess, TEST_API_KEY } from '../../../service/rig/service-process.ts';
import { apiTools } from './api-tools.ts';
import { PROVIDER_KEYS } from './provider-keys.ts';

const run = promisify(execFile);
/**
 * Checks that apply to every response, also to one for an invalid request. `document/walk.test.ts` tests that the service
 * accepts valid data.
 */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'unsupported_method',
  'allow_header_conformance',
];
/** Maximum of fuzzed requests per operation, for a short CI run. The coverage phase adds requests for each schema keyword. */
const EXAMPLES_MAX = 5;
/** An event stream does not end while its call can have events, or at all. */
const STREAMS = ['watchCall', 'watchRunningCalls'];

const tools = apiTools();

/** Bounds a hang: some 7,000 requests take half a minute of two cores. */
const TIMEOUT_MS = 400_000;

it.skipIf(tools === null)(
  'no request of Schemathesis gets a 5xx or a response outside its schema',
  { timeout: TIMEOUT_MS },
  async () => {
    const service = await startServiceProcess({
      ...PROVIDER_KEYS,
      RATE_LIMIT_PER_MINUTE: '10000000',
      RATE_LIMIT_PER_HOUR: '10000000',
    });
    const options = [
      ...['--checks', CHECKS.join()],
      ...['--phases', 'examples,coverage,fuzzing'],
      ...STREAMS.flatMap((operationId) => ['--exclude-operation-id', operationId]),
      ...['--max-examples', String(EXAMPLES_MAX)],
      ...['--seed', '1', '--generation-database', 'none', '--warnings', 'off', '--no-color'],
      ...['--header', `X-Api-Key: ${TEST_API_KEY}`],
    ];
    const ran = await run(tools?.schemathesis ?? '', ['run', `${service.httpUrl}/openapi.json`, ...options], {
      cwd: tmpdir(),
      maxBuffer: 64 * 1_048_576,
    }).catch((error) => error);
    await service.stop();
    expect(ran.stdout).toContain('No issues found');
  },
);
