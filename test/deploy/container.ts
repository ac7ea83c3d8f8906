import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { call } from '../caller/caller.ts';
import { ApiClient } from '../service/rig/api-client.ts';
import { eventually } from '../service/rig/eventually.ts';
import { FROM, TO } from '../service/rig/staged-call.ts';

/**
 * `node test/deploy/container.ts IMAGE`: runs the image as docs/deploy.md does, with a read-only root, and takes a call. Checks
 * that SIGTERM lets the call go on, refuses the next one, and ends the container with status 0. Exit status 1: a check failed.
 */
const TAPE = resolve(import.meta.dirname, '../../fixtures/calls/booking');
const API_KEY = 'tl_key_of_the_container_check_0123456789';
const START_MS_MAX = 90_000;
const DRAIN_SECONDS = 60;
/** After it the engine would kill the container: longer than the drain, as deploy.md asks for. */
const STOP_SECONDS = DRAIN_SECONDS + 60;

const docker = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)('docker', args, { encoding: 'utf8' })).stdout.trim();

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return z.object({ port: z.number() }).parse(address).port;
}

function check(promise: string, holds: boolean, seen: unknown): void {
  if (!holds) throw new Error(`${promise}: ${JSON.stringify(seen)}`);
  process.stdout.write(`  ${promise}\n`);
}

async function runImage(image: string, httpPort: number, sipPort: number): Promise<string> {
  const environment = {
    TRUNKLINE_API_KEY: API_KEY,
    HTTP_BIND: '127.0.0.1',
    HTTP_PORT: String(httpPort),
    SIP_PORT: String(sipPort),
    RTP_PORTS: '30000-30099',
    METRICS_BIND: 'off',
    DRAIN_SECONDS: String(DRAIN_SECONDS),
    TAPE_DIR: '/tape',
    DEFAULT_LLM_PROVIDER: 'tape',
    DEFAULT_LLM_MODEL: 'scripted',
    DEFAULT_VOICE_PROVIDER: 'tape',
    DEFAULT_VOICE_NAME: 'lucia',
    DEFAULT_TRANSCRIBER_PROVIDER: 'tape',
    ADMISSION_LATENESS_MS: '1000',
  };
  const variables = Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const hardening = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--network', 'host'];
  return docker('run', '--detach', ...hardening, '--volume', `${TAPE}:/tape:ro`, ...variables, image);
}

async function checkContainer(id: string, httpPort: number, sipPort: number): Promise<void> {
  const httpUrl = `http://127.0.0.1:${httpPort}`;
  const api = new ApiClient(httpUrl, API_KEY);
  await eventually(async () => {
    const health = await docker('inspect', '--format', '{{.State.Health.Status}}', id);
    if (health !== 'healthy') throw new Error(`the container is ${health}: ${await docker('logs', id)}`);
  }, START_MS_MAX);
  const inside = (script: string) => docker('exec', id, 'node', '-p', script);
  const write = `try { fs.writeFileSync('/opt/trunkline/x', ''); 'written' } catch (error) { error.code }`;
  check('the root is read only', (await inside(write)) === 'EROFS', await inside(write));
  check('process 1 is Node', (await inside('fs.readlinkSync("/proc/1/exe")')).endsWith('/node'), 'not Node');
  check('the user is not root', (await inside('process.getuid()')) === '10001', await inside('process.getuid()'));

  const page = await fetch(`${httpUrl}/console`);
  check('the console is served', page.ok && (await page.text()).includes('<html'), page.status);
  const agent = z.looseObject({}).parse((await import(join(TAPE, 'agent.json'), { with: { type: 'json' } })).default);
  const { id: agentId } = await api.createAgent({ ...agent, name: 'Booking' });
  const callId = await api.stage({ from_number: FROM, to_number: TO, agent_id: agentId });
  const target = { host: '127.0.0.1', port: sipPort };
  const { promise: end, resolve: hangUp } = Promise.withResolvers<void>();
  const headers = { 'X-Service-Call-Id': callId };
  const report = call({ target, to: TO, from: FROM, headers, durationMsMax: 50_000, hangUp: { at: end } });
  await api.callIn(callId, ['in_progress']);
  const said = await eventually(async () => {
    const first = (await api.call(callId)).transcript?.[0]?.content;
    if (first === undefined) throw new Error('nothing was said');
    return first;
  });
  check('a call is answered', said.startsWith('Trattoria Lucia'), said);

  const stopped = docker('stop', '--time', String(STOP_SECONDS), id);
  const readiness = await eventually(async () => {
    const { status } = await fetch(`${httpUrl}/readyz`);
    if (status !== 503) throw new Error(`/readyz is ${status}`);
    return status;
  });
  check('after SIGTERM /readyz is 503', readiness === 503, readiness);
  // Calls are taken for some seconds more, so that balancers that read /readyz lose none.
  const refused = await eventually(async () => {
    const { statuses } = await call({ target, to: TO, from: FROM });
    if (statuses.at(-1) !== 503) throw new Error(`the INVITE got ${statuses}`);
    return statuses;
  });
  check('after SIGTERM an INVITE gets 503', refused.at(-1) === 503, refused);
  const { status } = await api.call(callId);
  check('after SIGTERM the call goes on', status === 'in_progress', status);
  hangUp();
  const { endedBy, heard } = await report;
  check('the caller ended the call', endedBy === 'caller', endedBy);
  check(
    'the caller heard the agent',
    heard.some((sample) => Math.abs(sample) > 1_000),
    heard.length,
  );
  await stopped;
  const exit = await docker('inspect', '--format', '{{.State.ExitCode}}', id);
  check('the container exits with 0 after the last call', exit === '0', exit);
}

const image = process.argv[2];
if (image === undefined) throw new Error('usage: node test/deploy/container.ts IMAGE');
const [httpPort, sipPort] = await Promise.all([freePort(), freePort()]);
const id = await runImage(image, httpPort, sipPort);
try {
  await checkContainer(id, httpPort, sipPort);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  execFileSync('docker', ['logs', '--tail', '50', id], { stdio: ['ignore', 2, 2] });
  process.exitCode = 1;
} finally {
  await docker('rm', '--force', '--volumes', id);
}
