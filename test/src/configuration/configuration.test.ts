import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PROVIDER_VARIABLES } from '../../../adapters/registry/provider-variables.ts';
import { loadConfiguration } from '../../../src/configuration/configuration.ts';
import { ConfigurationError } from '../../../src/configuration/configuration-error.ts';
import { CONFIGURATION_VARIABLES } from '../../../src/configuration/variables.ts';

function problemsOf(environment: Record<string, string>): string[] {
  try {
    loadConfiguration(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems.map(({ variable }) => variable);
    throw error;
  }
}

it('an empty environment configures a service on loopback with its data in ./data', () => {
  expect(loadConfiguration({})).toMatchObject({
    apiKey: null,
    masterKey: null,
    dataDir: './data',
    logLevel: 'info',
    logFormat: null,
    http: { bind: '127.0.0.1', port: 8080, publicUrl: null, allowAddresses: [] },
    sip: {
      bind: '127.0.0.1',
      port: 5060,
      externalAddress: null,
      localNetworks: [],
      server: null,
      allowAddresses: [],
      ringTimeoutMs: 45_000,
    },
    rtp: { bind: '127.0.0.1', ports: { first: 20_000, last: 29_999 } },
    providers: {},
    agentDefaults: { voice: { provider: 'deepgram', speed: 1 }, llm: { provider: 'openai' } },
  });
});

it('METRICS_BIND sets the metrics address, loopback by default, or switches metrics off', () => {
  const bindOf = (METRICS_BIND: string) => loadConfiguration({ METRICS_BIND }).metricsBind;
  expect(bindOf('')).toEqual({ host: '127.0.0.1', port: 9464 });
  expect(bindOf('[::1]:0')).toEqual({ host: '::1', port: 0 });
  expect(bindOf('0.0.0.0:9000')).toEqual({ host: '0.0.0.0', port: 9000 });
  expect(bindOf('off')).toBeNull();
  for (const wrong of ['9464', '127.0.0.1', 'localhost:9464', '::1:9464', '127.0.0.1:65536', 'on']) {
    expect(problemsOf({ METRICS_BIND: wrong }), wrong).toEqual(['METRICS_BIND']);
  }
});

it('the default RTP ports are outside the ephemeral port range of Linux', () => {
  const { first, last } = loadConfiguration({}).rtp.ports;
  expect(first % 2).toBe(0);
  expect(last < 32_768 || first > 60_999).toBe(true);
});

it('values are read from the environment, and an empty one counts as not set', () => {
  const configuration = loadConfiguration({
    TRUNKLINE_API_KEY: 'k'.repeat(32),
    TRUNKLINE_MASTER_KEY: 'ab'.repeat(32),
    HTTP_PORT: '0',
    PUBLIC_URL: 'https://calls.example.com/',
    HTTP_ALLOW_ADDRESSES: '10.0.0.0/8, fd00::/8,192.0.2.7',
    SIP_BIND: '192.0.2.1',
    SIP_SERVER: 'drachtio.example:9022',
    SIP_SECRET: 'cymru',
    RTP_PORTS: '10000-10100',
    LOG_LEVEL: '',
  });
  expect(configuration.apiKey).toBe('k'.repeat(32));
  expect(configuration.masterKey).toEqual(new Uint8Array(32).fill(0xab));
  expect(configuration.http).toMatchObject({ port: 0, publicUrl: 'https://calls.example.com' });
  expect(configuration.http.allowAddresses.map(({ prefixLength }) => prefixLength)).toEqual([8, 8, 32]);
  expect(configuration.sip.server).toEqual({ host: 'drachtio.example', port: 9022, secret: 'cymru' });
  expect(configuration.rtp).toMatchObject({ bind: '192.0.2.1', ports: { first: 10_000, last: 10_100 } });
  expect(configuration.logLevel).toBe('info');
});

it('TLS verifies peers by default, and accepts calls only with a certificate and its key', () => {
  expect(loadConfiguration({}).sip.tls).toEqual({ certificate: null, authorityPath: null, verify: true });
  const environment = { SIP_TLS_CERT: 'c.pem', SIP_TLS_KEY: 'k.pem', SIP_TLS_CA: 'ca.pem', SIP_TLS_VERIFY: 'false' };
  expect(loadConfiguration(environment).sip.tls).toEqual({
    certificate: { certificatePath: 'c.pem', keyPath: 'k.pem', port: 5_061 },
    authorityPath: 'ca.pem',
    verify: false,
  });
  expect(problemsOf({ SIP_TLS_CERT: 'c.pem' })).toEqual(['SIP_TLS_KEY']);
  expect(problemsOf({ SIP_TLS_VERIFY: 'perhaps' })).toEqual(['SIP_TLS_VERIFY']);
});

it('recordings stay in DATA_DIR, unless STORAGE_URL names a bucket', () => {
  expect(loadConfiguration({}).storage).toBeNull();
  expect(loadConfiguration({ STORAGE_URL: 's3://calls' }).storage).toEqual({
    bucket: 'calls',
    prefix: '',
    endpoint: null,
    region: null,
    usesPathStyle: false,
    credentials: null,
    encryption: null,
  });
});

it('STORAGE_URL names the prefix, the region, another store than AWS, and the encryption', () => {
  const url =
    's3://my.calls/prod/eu/?region=eu-central-1&endpoint=https://minio.test:9000/&ssetype=aws:kms&kmskeyid=k-1';
  const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
  expect(loadConfiguration({ STORAGE_URL: url, ...keys }).storage).toEqual({
    bucket: 'my.calls',
    prefix: 'prod/eu',
    endpoint: 'https://minio.test:9000',
    region: 'eu-central-1',
    usesPathStyle: true,
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    encryption: { algorithm: 'aws:kms', keyId: 'k-1' },
  });
  const hosted = loadConfiguration({ STORAGE_URL: 's3://calls?endpoint=https://oss.test&use_path_style=false' });
  expect(hosted.storage?.usesPathStyle).toBe(false);
  const temporary = loadConfiguration({ STORAGE_URL: 's3://calls', ...keys, AWS_SESSION_TOKEN: 'token' });
  expect(temporary.storage?.credentials).toMatchObject({ sessionToken: 'token' });
});

it.each([
  'calls',
  'https://calls',
  's3://',
  's3://Calls_1',
  's3://key:secret@calls',
  's3://calls:9000',
  's3://calls/with%20space',
  's3://calls?regoin=eu-central-1',
  's3://calls?region=a&region=b',
  's3://calls?endpoint=minio:9000',
  's3://calls?ssetype=aes',
  's3://calls?kmskeyid=k-1',
  's3://calls?ssetype=AES256&kmskeyid=k-1',
])('STORAGE_URL %s is refused', (url) => {
  expect(problemsOf({ STORAGE_URL: url })).toEqual(['STORAGE_URL']);
});

it('the access key of the object store is set with its secret', () => {
  expect(problemsOf({ AWS_ACCESS_KEY_ID: 'id' })).toEqual(['AWS_SECRET_ACCESS_KEY']);
});

it('ALLOWED_PREFIXES is a comma-separated list, and an invalid prefix is refused', () => {
  expect(loadConfiguration({}).sip.destinations.allowedPrefixes).toEqual([]);
  const { destinations } = loadConfiguration({ ALLOWED_PREFIXES: '+49, +4420,' }).sip;
  expect(destinations.allowedPrefixes).toEqual(['+49', '+4420']);
  for (const wrong of ['49', '+', '+0', '+49;+44', '*']) {
    expect(problemsOf({ ALLOWED_PREFIXES: wrong })).toEqual(['ALLOWED_PREFIXES']);
  }
});

it('ALLOWED_EXTENSIONS is a comma-separated list, and a phone number is no extension', () => {
  const { extensions } = loadConfiguration({ ALLOWED_EXTENSIONS: '1001,2000-2099' }).sip.destinations;
  expect(extensions).toEqual({ names: new Set(['1001']), ranges: [{ first: '2000', last: '2099' }] });
  expect(problemsOf({ ALLOWED_EXTENSIONS: '19005551234' })).toEqual(['ALLOWED_EXTENSIONS']);
});

it('a master key may also be base64', () => {
  const key = Buffer.alloc(32, 7);
  expect(loadConfiguration({ TRUNKLINE_MASTER_KEY: key.toString('base64') }).masterKey).toEqual(new Uint8Array(key));
});

it.each([
  ['TRUNKLINE_API_KEY', 'too-short'],
  ['TRUNKLINE_MASTER_KEY', 'abcd'],
  ['DATABASE_URL', 'mysql://user@host/database'],
  ['DATABASE_URL', 'host:5432'],
  ['DATABASE_URL', 'postgres://user:100%@host/database'],
  ['HTTP_BIND', 'localhost'],
  ['HTTP_PORT', '65536'],
  ['HTTP_PORT', '80a'],
  ['PUBLIC_URL', 'ftp://example.com'],
  ['PUBLIC_URL', 'example.com'],
  ['HTTP_ALLOW_ADDRESSES', '10.0.0.0/33'],
  ['HTTP_ALLOW_ADDRESSES', 'intranet'],
  ['WEB_CALL_ORIGINS', 'shop.example'],
  ['WEB_CALL_ORIGINS', 'https://shop.example/'],
  ['SIP_PORT', '-1'],
  ['SIP_EXTERNAL_ADDRESS', '300.1.1.1'],
  ['RTP_PORTS', '20001-20100'],
  ['RTP_PORTS', '20100-20000'],
  ['RTP_PORTS', '20000'],
  ['RTP_PORTS', '60000-70000'],
  ['RATE_LIMIT_PER_MINUTE', '0'],
  ['RING_TIMEOUT_SECONDS', '301'],
  ['LOG_LEVEL', 'loud'],
  ['LOG_FORMAT', 'yaml'],
  ['OPENAI_BASE_URL', 'not a url'],
])('%s=%s is refused by name', (variable, value) => {
  expect(problemsOf({ [variable]: value })).toEqual([variable]);
});

it('SIP_SERVER and SIP_SECRET are only valid together', () => {
  expect(problemsOf({ SIP_SERVER: 'host:9022' })).toEqual(['SIP_SECRET']);
  expect(problemsOf({ SIP_SECRET: 'cymru' })).toEqual(['SIP_SERVER']);
});

it('all problems are reported at once, with the expectation and the value, but never with a secret', () => {
  const environment = { TRUNKLINE_API_KEY: 'hunter2', HTTP_PORT: 'eighty', SIP_SERVER: 'nowhere', SIP_SECRET: 's' };
  expect(problemsOf(environment)).toEqual(['TRUNKLINE_API_KEY', 'HTTP_PORT', 'SIP_SERVER']);
  expect(() => loadConfiguration(environment)).toThrow(/TRUNKLINE_API_KEY: expected at least 32 characters\n/);
  expect(() => loadConfiguration(environment)).toThrow(/HTTP_PORT: expected a port from 0 to 65535, got "eighty"\n/);
  expect(() => loadConfiguration(environment)).not.toThrow(/hunter2/);
});

it('a default transcriber of another provider does not get the model of Deepgram', () => {
  const modelOf = (environment: Record<string, string>) =>
    loadConfiguration(environment).agentDefaults.transcriber.model;
  expect(modelOf({})).toBe('nova-3');
  expect(modelOf({ DEFAULT_TRANSCRIBER_PROVIDER: 'elevenlabs' })).toBeUndefined();
  expect(modelOf({ DEFAULT_TRANSCRIBER_PROVIDER: 'openai', DEFAULT_TRANSCRIBER_MODEL: 'm' })).toBe('m');
});

it('a default provider other than OpenAI and Deepgram needs an explicit model or voice', () => {
  const defaultsOf = (environment: Record<string, string>) => loadConfiguration(environment).agentDefaults;
  expect(defaultsOf({})).toMatchObject({ llm: { model: 'gpt-4.1-mini' }, voice: { name: 'aura-2-thalia-en' } });
  expect(problemsOf({ DEFAULT_LLM_PROVIDER: 'anthropic' })).toEqual(['DEFAULT_LLM_MODEL']);
  expect(problemsOf({ DEFAULT_VOICE_PROVIDER: 'cartesia', DEFAULT_LLM_PROVIDER: 'vllm' })).toEqual([
    'DEFAULT_LLM_MODEL',
    'DEFAULT_VOICE_NAME',
  ]);
  expect(defaultsOf({ DEFAULT_LLM_PROVIDER: 'anthropic', DEFAULT_LLM_MODEL: 'm' }).llm.model).toBe('m');
  expect(defaultsOf({ DEFAULT_VOICE_PROVIDER: 'espeak' }).voice.name).toBe('default');
  expect(defaultsOf({ DEFAULT_VOICE_PROVIDER: 'openai', DEFAULT_VOICE_NAME: 'v' }).voice.name).toBe('v');
});

it('every provider variable of the registry is read from the environment', () => {
  for (const { kind, name } of PROVIDER_VARIABLES) {
    const value = kind === 'base_url' ? 'http://127.0.0.1:9/v1' : 'some-value';
    expect(loadConfiguration({ [name]: value }).providers, name).toEqual({ [name]: value });
  }
});

it('.env.example lists every variable with its default', () => {
  const lines = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8').split('\n');
  const shown = Object.fromEntries(
    lines.filter((line) => /^[A-Z_]+=/.test(line)).map((line) => line.split('=', 2) as [string, string]),
  );
  expect(loadConfiguration(shown)).toEqual(loadConfiguration({}));
  expect(Object.keys(shown).sort()).toEqual([...CONFIGURATION_VARIABLES].sort());
});

it('the document is open and a recording link lasts an hour, unless set otherwise', () => {
  expect(loadConfiguration({}).http).toMatchObject({ docs: true, recordingLinkMs: 3_600_000 });
  const environment = { API_DOCS: 'false', RECORDING_LINK_SECONDS: '604800' };
  expect(loadConfiguration(environment).http).toMatchObject({ docs: false, recordingLinkMs: 604_800_000 });
  expect(problemsOf({ API_DOCS: 'no', RECORDING_LINK_SECONDS: '604801' })).toEqual([
    'API_DOCS',
    'RECORDING_LINK_SECONDS',
  ]);
});
