import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMPATIBLE_PROVIDERS } from '../../../../adapters/openai-compatible/providers.ts';
import { dataDirFault } from '../../../../src/cli/start-check/data-dir.ts';
import { startFaults } from '../../../../src/cli/start-check/start-faults.ts';
import { readConfiguration } from '../../../../src/configuration/configuration.ts';

async function faultsOf(environment: Record<string, string>): Promise<readonly string[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-start-check-'));
  const settings = { HTTP_PORT: '0', SIP_PORT: '0', METRICS_BIND: 'off', DATA_DIR: dataDir, ...environment };
  return startFaults(readConfiguration(settings), []);
}

describe('the faults of a start', () => {
  it('do not include missing provider keys: the service runs, and agents may name other providers', async () => {
    expect(await faultsOf({})).toEqual([]);
  });

  it('are listed all at once: variables, providers, ports and database', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const faults = await faultsOf({
      LOG_FORMAT: 'jsn',
      DEFAULT_LLM_PROVIDER: 'opnai',
      PRICES_FILE: '/no/such/prices.yaml',
      HTTP_PORT: String(port),
      DATABASE_URL: 'postgres://user:secret@127.0.0.1:1/calls',
    });
    other.close();
    expect(faults).toEqual([
      'LOG_FORMAT: expected pretty or json, got "jsn"; did you mean json?',
      expect.stringMatching(/^DEFAULT_LLM_PROVIDER: expected one of openai, .*, got "opnai"; did you mean openai\?$/),
      'PRICES_FILE: expected a price file (the file does not exist), got "/no/such/prices.yaml"',
      expect.stringMatching(
        /^HTTP: tcp 127\.0\.0\.1:\d+ is not available: .*; stop the process that listens there, or set/,
      ),
      expect.stringMatching(
        /^database: PostgreSQL: .*ECONNREFUSED.*; check host, database, user and password in DATABASE_URL/,
      ),
    ]);
    expect(faults.join()).not.toContain('secret');
  });

  it('name every provider, also those that need a key, and the key of one without it', async () => {
    const [wrong = ''] = await faultsOf({ DEFAULT_LLM_PROVIDER: 'opnai' });
    for (const { name } of COMPATIBLE_PROVIDERS) expect(wrong).toMatch(new RegExp(`[ ,]${name},`));
    const model = { DEFAULT_LLM_MODEL: 'llama' };
    expect(await faultsOf({ DEFAULT_LLM_PROVIDER: 'groq', ...model })).toEqual([
      'DEFAULT_LLM_PROVIDER: expected GROQ_API_KEY to be set for this provider, got "groq"',
    ]);
  });

  it.each([
    [{ HTTP_PORT: '18080', SIP_PORT: '18080' }, ['HTTP_PORT and SIP_PORT both name tcp port 18080 of 127.0.0.1']],
    [
      { HTTP_PORT: '18080', METRICS_BIND: '0.0.0.0:18080' },
      ['HTTP_PORT and METRICS_BIND both name tcp port 18080 of 127.0.0.1'],
    ],
    [
      { SIP_PORT: '18080', METRICS_BIND: '127.0.0.1:18080', SIP_BIND: '::' },
      ['SIP_PORT and METRICS_BIND both name tcp port 18080 of ::'],
    ],
    [{ HTTP_PORT: '18080', SIP_PORT: '18080', SIP_BIND: '127.0.0.2' }, []],
    [{ HTTP_PORT: '18080', SIP_PORT: '18080', SIP_SERVER: '127.0.0.1:9022', SIP_SECRET: 'cymru' }, []],
    [{ HTTP_PORT: '0', SIP_PORT: '0', METRICS_BIND: '127.0.0.1:0' }, []],
  ])('name both variables of one port: %j', async (environment, expected) => {
    const remedy = '; set one of them to another port';
    expect(await faultsOf(environment)).toEqual(expected.map((text) => `ports: ${text}${remedy}`));
  });

  it('name SIP_PORT and SIP_TLS_PORT of one port', async () => {
    const files = { SIP_TLS_CERT: import.meta.filename, SIP_TLS_KEY: import.meta.filename };
    expect(await faultsOf({ ...files, SIP_PORT: '18081', SIP_TLS_PORT: '18081' })).toEqual([
      'ports: SIP_PORT and SIP_TLS_PORT both name tcp port 18081 of 127.0.0.1; set one of them to another port',
    ]);
  });

  it('name each TLS file that cannot be read', async () => {
    const files = { SIP_TLS_CERT: '/no/such/cert.pem', SIP_TLS_KEY: '/no/such/key.pem', SIP_TLS_CA: '/no/such/ca.pem' };
    expect(await faultsOf(files)).toEqual(
      Object.entries(files).map(([variable, path]) =>
        expect.stringMatching(new RegExp(`^${variable}: ${path} cannot be read: .*; set it to a PEM file$`)),
      ),
    );
  });

  it('name a default model only if its provider is known', async () => {
    expect(await faultsOf({ DEFAULT_LLM_PROVIDER: 'anthropic' })).toEqual([
      expect.stringMatching(/^DEFAULT_LLM_MODEL: expected the name of a model/),
    ]);
  });
});

describe('DATA_DIR', () => {
  it('is created with its parent folders', async () => {
    const dataDir = join(await mkdtemp(join(tmpdir(), 'trunkline-start-check-')), 'a/b');
    expect(await dataDirFault(dataDir)).toBeNull();
    expect(existsSync(dataDir)).toBe(true);
  });

  it.runIf(existsSync('/proc'))('is refused below /proc, where a recursive mkdir never returns', async () => {
    expect(await dataDirFault('/proc/trunkline/data')).toMatchObject({ verdict: 'fault', subject: 'DATA_DIR' });
  });

  it('is refused below a file', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'trunkline-start-check-')), 'file');
    await writeFile(file, '');
    expect(await dataDirFault(join(file, 'data'))).toMatchObject({ verdict: 'fault', subject: 'DATA_DIR' });
  });
});
