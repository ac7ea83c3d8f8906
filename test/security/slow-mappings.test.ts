import { expect, it, onTestFinished } from 'vitest';
import { AddressPolicy } from '../../base/network/address-policy.ts';
import { parseAddressRanges } from '../../base/network/address-range.ts';
import { customFunctionSchema } from '../../engine/agent/tool-schema.ts';
import type { ToolResult } from '../../engine/ports/tool-runner.ts';
import { HttpToolRunner, type HttpToolRunnerOptions } from '../../src/calls/custom-functions/http-tool-runner.ts';
import { MappingPool } from '../../src/calls/custom-functions/mapping-pool.ts';
import { GuardedHttp } from '../../src/outgoing-http/guarded-http.ts';
import { LoopbackServer } from '../providers/loopback-server.ts';

/** Each step multiplies the number of nodes: the evaluation ends at the time limit of its process. */
const SLOW_PATH = `$${'..*'.repeat(12)}`;
const DEEP_DOCUMENT = `${'[1,'.repeat(60)}1${']'.repeat(60)}`;
/** Their mappings keep the processes busy for much longer than the timeout of the other organization's function. */
const SLOW_FUNCTIONS = 30;
const SLOW_TIMEOUT_S = 60;
const TIMEOUT_S = 5;

/** The functions of organizations that share one service. */
async function startFunctions() {
  const server = await LoopbackServer.listen(({ url }, response) => {
    response.end(url === '/slow' ? DEEP_DOCUMENT : '{"items":[{"id":1}]}');
  });
  const policy = new AddressPolicy({
    allow: parseAddressRanges('127.0.0.1'),
    ownListeners: () => [],
    localAddresses: () => [],
  });
  const http = new GuardedHttp(policy, async () => ['127.0.0.1']);
  const pool = new MappingPool();
  const queued = Promise.withResolvers<void>();
  let jobs = 0;
  const mappings: HttpToolRunnerOptions['mappings'] = {
    map(...job) {
      jobs += 1;
      if (jobs === SLOW_FUNCTIONS) queued.resolve();
      return pool.map(...job);
    },
  };
  onTestFinished(async () => {
    pool.close();
    await http.close();
    await server.close();
  });
  const run = (organizationId: string, path: string, jsonPath: string, timeout: number) => {
    const url = `${server.origin}${path}`;
    const response_mapping = [{ json_path_to_data: jsonPath, destination_variable: 'found' }];
    const fields = { type: 'custom_function', name: 'f', url, timeout, response_mapping };
    const tool = customFunctionSchema.parse(fields);
    const runner = new HttpToolRunner({ http, mappings, organizationId, resolveSecret: (reference) => reference });
    return new Promise<ToolResult>((resolve) => {
      runner.run({ tool, values: {}, url, headers: {} }, resolve, 'call_1');
    });
  };
  return { run, queued: queued.promise };
}

it('slow response mappings of an organization do not keep those of another one waiting', async () => {
  const { queued, run } = await startFunctions();
  for (let count = 0; count < SLOW_FUNCTIONS; count++) void run('attacker', '/slow', SLOW_PATH, SLOW_TIMEOUT_S);
  await queued;
  const { content, mapped } = await run('victim', '/items', '$.items[*].id', TIMEOUT_S);
  expect(mapped, content).toEqual([{ variable: 'found', value: 1 }]);
});
