import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { doctorCommand } from '../../../src/cli/commands/doctor.ts';
import { openDatabase } from '../../../src/storage/database/database.ts';
import { emptyPostgresUrl, hasPostgres } from '../../postgres/temporary-postgres.ts';
import { startOpenAiEmbeddingEmulator } from '../../providers/openai/embedding-emulator.ts';
import { TEST_API_KEY } from '../rig/service-process.ts';
import { startTestService } from '../rig/test-service.ts';

const CLI = join(import.meta.dirname, '../../../src/cli.ts');
/** Ports that the kernel chooses, so that no other program uses them. */
const DEFAULTS = { SIP_PORT: '0', HTTP_PORT: '0', METRICS_BIND: '127.0.0.1:0', RTP_PORTS: '32500-32599' };
const PROVIDER_KEY = 'sk-the-key-that-doctor-must-not-print';

/** A server that stands for OpenAI and Deepgram and answers every request with `status`. */
async function provider(status: number) {
  const authorizations: (string | undefined)[] = [];
  const paths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    paths.push(request.url);
    response.writeHead(status).end('{}');
  });
  const port = await listening(server);
  return {
    authorizations,
    paths,
    environment: {
      OPENAI_API_KEY: PROVIDER_KEY,
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      DEEPGRAM_API_KEY: PROVIDER_KEY,
      DEEPGRAM_BASE_URL: `http://127.0.0.1:${port}`,
    },
  };
}

async function listening(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((done) => server.once('listening', done));
  return (server.address() as AddressInfo).port;
}

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function doctor(environment: Record<string, string>) {
  let text = '';
  const out = {
    write: (line: string) => {
      text += line;
    },
  };
  const status = await doctorCommand({ ...DEFAULTS, ...environment }, out);
  expect(text).not.toContain(PROVIDER_KEY);
  return { status, text };
}

it('doctor passes beside a running service: ports, database, provider keys, and a trunk that answers', async () => {
  const test = await startTestService();
  onTestFinished(() => test.close());
  const { authorizations, environment, paths } = await provider(200);
  const trunk = { name: 'itself', termination_uri: `localhost:${test.sipPort}`, transport: 'udp' };
  const made = await fetch(`${test.service.httpUrl}/v1/sip-trunks`, {
    method: 'POST',
    headers: { 'x-api-key': TEST_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify(trunk),
  });
  expect(made.status).toBe(201);

  const port = new URL(test.service.httpUrl).port;
  const { status, text } = await doctor({ ...environment, DATA_DIR: test.dataDir, HTTP_PORT: port });
  expect(text).toContain(`ok    ports: the service is running at 127.0.0.1:${port}`);
  expect(text).toMatch(/ok {4}database: .*trunkline\.db responds/);
  expect(text).toContain('ok    master key: it decrypts the stored secrets');
  // On a busy machine the doctor warns that the response is slow.
  expect(text).toMatch(/(?:ok {4}|warn {2})openai: accepts the key in \d+ ms/);
  expect(text).toMatch(/(?:ok {4}|warn {2})deepgram: accepts the key in \d+ ms/);
  expect(text).toMatch(/ok {4}trunk itself: udp localhost:\d+ responds to OPTIONS: 200 OK/);
  expect(status).toBe(0);
  expect(authorizations.sort()).toEqual([`Bearer ${PROVIDER_KEY}`, `Token ${PROVIDER_KEY}`]);
  expect(paths.sort()).toEqual(['/v1/auth/token', '/v1/models']);
});

it('doctor loads no SDK beside the requests that it times', async () => {
  const { environment } = await provider(200);
  const printed =
    'import { registerHooks } from "node:module";' +
    'const resolve = (name, context, next) => (/^(openai|@deepgram.sdk)$/.test(name) && console.log("loaded", name), next(name, context));' +
    'registerHooks({ resolve });';
  const hook = `data:text/javascript,${encodeURIComponent(printed)}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', hook, CLI, 'doctor'], {
    env: { PATH: process.env.PATH, ...DEFAULTS, ...environment, DATA_DIR: await emptyFolder() },
  });
  expect(stdout).toMatch(/deepgram: accepts the key/);
  expect(stdout).not.toContain('loaded');
});

it('doctor reports a refused key, a taken port and a damaged database with remedies, and changes nothing', async () => {
  const holder = await listening(createServer());
  const folder = await emptyFolder();
  const notes = 'precious notes, not a database '.repeat(100);
  await writeFile(join(folder, 'trunkline.db'), notes);
  const { environment } = await provider(401);
  const faulty = { DATA_DIR: folder, END_OF_TURN_MODEL: join(folder, 'none.onnx'), HTTP_PORT: String(holder) };
  const { status, text } = await doctor({ ...environment, ...faulty });
  expect(status).toBe(1);
  expect(text).toMatch(/warn {2}end-of-turn model: .*none\.onnx does not exist.*\n {6}→ set END_OF_TURN_MODEL/);
  expect(text).toMatch(/FAIL {2}HTTP: .*EADDRINUSE.*\n {6}→ .*HTTP_PORT/);
  expect(text).toMatch(/FAIL {2}database: .*\n {6}→ /);
  expect(text).toMatch(/FAIL {2}openai: refuses the key \(401\)\n {6}→ set OPENAI_API_KEY/);
  expect(text).toMatch(/FAIL {2}deepgram: refuses the key \(401\)\n {6}→ set DEEPGRAM_API_KEY/);
  expect(await readFile(join(folder, 'trunkline.db'), 'utf8')).toBe(notes);
  expect(await readdir(folder)).toEqual(['trunkline.db']);
});

it.skipIf(!hasPostgres())('doctor reaches PostgreSQL or reports the cause, and creates nothing in it', async () => {
  const url = await emptyPostgresUrl();
  const folder = await emptyFolder();
  const { environment } = await provider(200);
  const empty = await doctor({ ...environment, DATA_DIR: folder, DATABASE_URL: url });
  expect(empty.text).toMatch(/ok {4}database: PostgreSQL \d+\.\d+.* responds; the first start creates the tables/);
  expect(empty.status).toBe(0);
  await (await openDatabase({ dataDir: folder, databaseUrl: url })).close();
  const made = await doctor({ ...environment, DATA_DIR: folder, DATABASE_URL: url });
  expect(made.text).toMatch(/ok {4}database: PostgreSQL \d+\.\d+.* responds\n/);
  expect(made.text).toMatch(/ok {4}clock: agrees with the clock of PostgreSQL\n/);
  const wrong = new URL(url);
  wrong.pathname = '/nowhere';
  wrong.password = 'the-password-of-a-database';
  const gone = await doctor({ ...environment, DATA_DIR: folder, DATABASE_URL: wrong.href });
  expect(gone.text).toMatch(/FAIL {2}database: PostgreSQL: database "nowhere" does not exist.*\n {6}→ .*DATABASE_URL/);
  expect(gone.text).not.toContain('the-password');
  expect(gone.status).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});

it.each([
  [403, 'warn  openai: accepts the key without the permission'],
  [404, 'warn  openai: responds in '],
  [429, 'warn  openai: answers 429'],
  [503, 'warn  openai: answers 503'],
])('doctor judges a provider by its status %i, before the first start too', async (answered, line) => {
  const { environment } = await provider(answered);
  const { status, text } = await doctor({ ...environment, DATA_DIR: join(await emptyFolder(), 'not', 'made') });
  expect(text).toContain(line);
  expect(text).toContain('the first start creates');
  expect(status).toBe(0);
});

it('doctor names the variable whose base URL is a web page or a server without TLS', async () => {
  const page = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<!doctype html>');
  });
  const port = await listening(page);
  const environment = { OPENAI_BASE_URL: `http://127.0.0.1:${port}`, VLLM_BASE_URL: `https://127.0.0.1:${port}/v1` };
  const { status, text } = await doctor({ ...environment, DATA_DIR: await emptyFolder() });
  expect(text).toMatch(/FAIL {2}openai: responds with a web page.*\n {6}→ .*OPENAI_BASE_URL/);
  expect(text).toMatch(/FAIL {2}vllm: unreachable: the server does not use TLS\n {6}→ .*VLLM_BASE_URL/);
  expect(status).toBe(1);
});

it('doctor reports a default provider that is unconfigured, unknown or not installed', async () => {
  const none = await doctor({ DATA_DIR: await emptyFolder() });
  expect(none.status).toBe(1);
  expect(none.text).toMatch(/FAIL {2}DEFAULT_LLM_PROVIDER: openai is not configured\n {6}→ set OPENAI_API_KEY/);
  expect(none.text).toMatch(/FAIL {2}DEFAULT_VOICE_PROVIDER: deepgram is not configured\n/);
  const unknown = await doctor({
    DEFAULT_LLM_PROVIDER: 'nobody',
    DEFAULT_LLM_MODEL: 'any',
    DATA_DIR: await emptyFolder(),
  });
  expect(unknown.text).toMatch(/FAIL {2}DEFAULT_LLM_PROVIDER: unknown provider nobody\n {6}→ .*openai/);
  const gone = await doctor({ OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', DATA_DIR: await emptyFolder() });
  expect(gone.text).toMatch(/FAIL {2}openai: unreachable: .*\n {6}→ .*OPENAI_BASE_URL/);
});

it('doctor asks each configured provider once with its own key and reports the time', async () => {
  const { authorizations, environment, paths } = await provider(200);
  const { origin } = new URL(environment.OPENAI_BASE_URL);
  const names = ['ANTHROPIC', 'ELEVENLABS', 'CARTESIA', 'GROQ', 'GEMINI', 'MISTRAL', 'TOGETHER', 'AZURE', 'OLLAMA'];
  const settings = names.flatMap((name) => [
    [`${name}_API_KEY`, PROVIDER_KEY],
    [`${name}_BASE_URL`, `${origin}/${name.toLowerCase()}`],
  ]);
  const { status, text } = await doctor({
    ...environment,
    ...Object.fromEntries(settings),
    OPENAI_SPEECH_BASE_URL: `${origin}/speech`,
    OPENAI_TRANSCRIPTION_BASE_URL: `${origin}/transcription`,
    ESPEAK_PATH: 'a-program-that-is-not-installed',
    DATA_DIR: await emptyFolder(),
  });
  expect(status).toBe(0);
  const expected = ['openai', 'deepgram', ...names.map((name) => name.toLowerCase())];
  // On a busy machine the doctor warns that a response is slow.
  for (const name of expected)
    expect(text).toMatch(new RegExp(`(?:ok {4}|warn {2})${name}: accepts the key in \\d+ ms`));
  for (const kind of ['SPEECH', 'TRANSCRIPTION']) {
    expect(text).toMatch(
      new RegExp(`(?:ok {4}|warn {2})openai-compatible \\(OPENAI_${kind}_BASE_URL\\): accepts the key`),
    );
  }
  expect(text).toContain('ok    espeak: a-program-that-is-not-installed is not installed, but not needed');
  expect(paths).toHaveLength(expected.length + 2);
  expect(paths).toContain('/azure/openai/v1/models');
  expect(paths).toContain('/cartesia/voices?limit=1');
  // Each key is sent only to its own server. The two local servers have no key.
  expect(authorizations.filter((authorization) => authorization === 'Bearer none')).toHaveLength(2);
});

it.each([
  ['ollama', { data: [{ id: 'llama3:8b' }, { id: 'qwen3:8b' }] }, true],
  ['ollama', { data: [] }, true],
  ['together', [{ id: 'llama3:8b' }], true],
  ['ollama', { data: [{ id: 'llama3:latest' }] }, false],
  ['gemini', { data: [{ id: 'models/llama3' }] }, false],
  ['ollama', { data: [{ id: 'llama3:8b' }], has_more: true }, false],
  ['ollama', { models: 'none of this kind' }, false],
  ['llamacpp', { data: [{ id: 'a-file.gguf' }] }, false],
  ['azure', { data: [{ id: 'gpt-4.1' }] }, false],
] as const)('doctor warns when a default model is missing from the list of %s: %j', async (name, list, isMissing) => {
  const server = createServer((_request, response) => response.end(JSON.stringify(list)));
  const { status, text } = await doctor({
    DEFAULT_LLM_PROVIDER: name,
    DEFAULT_LLM_MODEL: 'llama3',
    [`${name.toUpperCase()}_BASE_URL`]: `http://127.0.0.1:${await listening(server)}/v1`,
    DEFAULT_VOICE_PROVIDER: 'tape',
    DATA_DIR: await emptyFolder(),
  });
  expect(text).toMatch(new RegExp(`(?:ok {4}|warn {2})${name}: accepts the key`));
  expect(/warn {2}\w+: does not list the model llama3\n {6}→ .*DEFAULT_LLM_MODEL/.test(text)).toBe(isMissing);
  expect(status).toBe(1);
});

it('doctor looks up a transcription model in the list of its own server', async () => {
  const server = createServer((request, response) => {
    response.end(JSON.stringify({ data: [{ id: request.url?.startsWith('/speech') ? 'tiny' : 'large' }] }));
  });
  const origin = `http://127.0.0.1:${await listening(server)}`;
  const { text } = await doctor({
    OPENAI_SPEECH_BASE_URL: `${origin}/speech`,
    OPENAI_TRANSCRIPTION_BASE_URL: `${origin}/transcription`,
    DEFAULT_TRANSCRIBER_PROVIDER: 'openai-compatible',
    DEFAULT_TRANSCRIBER_MODEL: 'tiny',
    DATA_DIR: await emptyFolder(),
  });
  const line = 'warn  openai-compatible (OPENAI_TRANSCRIPTION_BASE_URL): does not list the model tiny';
  expect(text.split('\n').filter((outputLine) => outputLine.includes('does not list'))).toEqual([line]);
  expect(text).toContain('DEFAULT_TRANSCRIBER_MODEL; the server has large');
});

it('doctor reports a default voice program that is not installed', async () => {
  const { text } = await doctor({
    DEFAULT_VOICE_PROVIDER: 'espeak',
    ESPEAK_PATH: 'a-program-that-is-not-installed',
    DATA_DIR: await emptyFolder(),
  });
  expect(text).toMatch(/FAIL {2}espeak: .*not installed\n {6}→ install it, or set ESPEAK_PATH/);
});

it('doctor reports invalid settings and checks nothing else', async () => {
  const { status, text } = await doctor({ HTTP_PORT: 'eighty', RETENTION_DAYS: '0' });
  expect(status).toBe(1);
  expect(text.split('\n').filter((line) => line.startsWith('FAIL'))).toHaveLength(2);
  expect(text).toContain('→ set HTTP_PORT to a port from 0 to 65535');
  expect(text).toContain('RETENTION_DAYS');
});

it('doctor asks the embedding model for a vector and reports a failure with its remedy', async () => {
  const emulator = await startOpenAiEmbeddingEmulator(({ model }) =>
    model === 'small' ? { type: 'vectors', vectors: [[1, 2, 3]] } : { type: 'refusal', status: 404 },
  );
  onTestFinished(() => emulator.close());
  const DATA_DIR = await emptyFolder();
  const access = { DATA_DIR, EMBEDDING_BASE_URL: emulator.baseUrl, EMBEDDING_API_KEY: emulator.apiKey };
  const right = await doctor({ ...access, EMBEDDING_MODEL: 'small' });
  expect(right.text).toMatch(/(ok {2}|warn) {2}embedding model: small returns 3 numbers in \d+ ms/);
  const wrong = await doctor({ ...access, EMBEDDING_MODEL: 'unknown' });
  expect(wrong.text).toContain('FAIL  embedding model: unknown does not embed: HTTP status 404');
  expect(wrong.text).toContain('→ check EMBEDDING_MODEL and EMBEDDING_BASE_URL');
  const refused = await doctor({ ...access, EMBEDDING_MODEL: 'small', EMBEDDING_API_KEY: PROVIDER_KEY });
  expect(refused.text).toContain('→ set EMBEDDING_API_KEY to a valid key');
  expect((await doctor({ DATA_DIR })).text).not.toContain('embedding');
});
