import type { RequestListener } from 'node:http';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../../../base/network/address-policy.ts';
import { parseAddressRanges } from '../../../../base/network/address-range.ts';
import { customFunctionSchema } from '../../../../engine/agent/tool-schema.ts';
import type { ToolResult } from '../../../../engine/ports/tool-runner.ts';
import { HttpToolRunner } from '../../../../src/calls/custom-functions/http-tool-runner.ts';
import { MappingPool } from '../../../../src/calls/custom-functions/mapping-pool.ts';
import { GuardedHttp } from '../../../../src/outgoing-http/guarded-http.ts';
import { LoopbackServer } from '../../../providers/loopback-server.ts';

const servers: LoopbackServer[] = [];
const mappings = new MappingPool();
const http = new GuardedHttp(
  new AddressPolicy({
    allow: parseAddressRanges('127.0.0.1'),
    ownListeners: () => [],
    localAddresses: () => [],
  }),
  async () => ['127.0.0.1'],
);

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(async () => {
  await http?.close();
  await mappings?.close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = await LoopbackServer.listen(listener);
  servers.push(server);
  return `${server.origin}/`;
}

/** Runs the function. Waits one more turn of the event loop to detect a second result. */
async function run(url: string, tool: object = {}): Promise<ToolResult> {
  const parsed = customFunctionSchema.parse({ type: 'custom_function', name: 'f', url, ...tool });
  const results: ToolResult[] = [];
  const runner = new HttpToolRunner({ http, mappings, organizationId: 'o', resolveSecret: (reference) => reference });
  await new Promise<void>((resolve) => {
    const done = (result: ToolResult) => {
      results.push(result);
      setImmediate(resolve);
    };
    runner.run({ tool: parsed, values: { day: 'Friday' }, url, headers: {} }, done, 'call_1');
  });
  const [result, ...more] = results;
  expect(more).toEqual([]);
  if (result === undefined) throw new Error('no result');
  return result;
}

const TIME = [{ json_path_to_data: '$.time', destination_variable: 'time' }];

describe('a custom function', () => {
  it('returns the body to the model and the mapped values to the call', async () => {
    const url = await serve((request, response) => response.end(JSON.stringify({ url: request.url, time: '19:30' })));
    expect(await run(url, { response_mapping: TIME })).toEqual({
      successful: true,
      httpStatus: 200,
      content: '{"url":"/?day=Friday","time":"19:30"}',
      mapped: [{ variable: 'time', value: '19:30' }],
    });
  });

  it('reports an empty response', async () => {
    const url = await serve((_, response) => response.writeHead(204).end());
    expect(await run(url)).toEqual({
      successful: true,
      httpStatus: 204,
      content: '(The response is empty.)',
      mapped: [],
    });
  });

  it.each([302, 404, 500])('reports status %i to the model, with the body, and maps nothing', async (status) => {
    const url = await serve((_, response) =>
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end('{"time":"no"}'),
    );
    const result = await run(url, { response_mapping: TIME });
    expect(result).toMatchObject({ successful: false, httpStatus: status, mapped: [] });
    expect(result.content).toMatch(new RegExp(`HTTP status ${status}.*\n\\{"time":"no"\\}`));
  });

  it('reports to the model that the server acted, even if its response is unreadable', async () => {
    const url = await serve((_, response) => response.end('<html>booked</html>'));
    const result = await run(url, { response_mapping: TIME });
    expect(result).toMatchObject({ successful: false, httpStatus: 200, mapped: [] });
    expect(result.content).toContain('has done what was asked');
    expect(result.content).toContain('not valid JSON');
  });

  it('sends the model at most 16 KiB, without splitting a character', async () => {
    const url = await serve((_, response) => response.end(`x${'é'.repeat(20_000)}`));
    const result = await run(url);
    expect(result.successful).toBe(true);
    expect(Buffer.byteLength(result.content)).toBeLessThanOrEqual(16_384);
    expect(Buffer.byteLength(result.content)).toBeGreaterThan(16_300);
    expect(result.content).toMatch(/é\n\[cut off here/);
    expect(result.content).not.toContain('\ufffd');
  });

  it('maps a response of more than 64 KiB, in a worker', async () => {
    const url = await serve((_, response) => response.end(JSON.stringify({ pad: 'x'.repeat(100_000), time: '20:00' })));
    expect((await run(url, { response_mapping: TIME })).mapped).toEqual([{ variable: 'time', value: '20:00' }]);
  });

  it('cuts a response off after 1 MiB, as an error without mapping', async () => {
    const url = await serve((_, response) => response.end(`{"time":"20:00","pad":"${'x'.repeat(1_048_576)}"}`));
    const result = await run(url, { response_mapping: TIME });
    expect(result).toMatchObject({ successful: false, httpStatus: 200, mapped: [] });
    expect(result.content).toContain('cut off');
  });

  it('fails with a message for a silent or unreachable server, a disallowed address and an invalid URL', async () => {
    const silent = await serve(() => {});
    expect(await run(silent, { timeout: 1 })).toEqual({
      successful: false,
      content: 'The request failed: no complete answer within 1000 ms.',
      mapped: [],
    });
    expect((await run('http://127.0.0.1:1/')).content).toContain('could not be reached');
    expect((await run('http://169.254.169.254/latest')).content).toBe(
      'The request failed: its address is not allowed.',
    );
    expect((await run('nonsense')).content).toContain('not valid');
  });
});
