import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../rig/eventually.ts';
import { startServiceProcess } from '../rig/service-process.ts';
import { startTestService } from '../rig/test-service.ts';

async function freeTcpPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Settings that a provider needs besides its name. */
const MODEL_AND_VOICE = { DEFAULT_LLM_MODEL: 'any', DEFAULT_VOICE_NAME: 'any' };

describe('a start', () => {
  it.each(['DEFAULT_LLM_PROVIDER', 'DEFAULT_VOICE_PROVIDER', 'DEFAULT_TRANSCRIBER_PROVIDER'])(
    'with an unknown %s is refused, naming the variable and the known values',
    async (variable) => {
      await expect(startTestService({ [variable]: 'nope', ...MODEL_AND_VOICE })).rejects.toThrow(
        new RegExp(`${variable}: expected one of .*`),
      );
    },
  );

  it('with a wrong master key is refused, and the database stays usable with the right key', async () => {
    const [right, wrong] = ['ab', 'cd'].map((byte) => ({ TRUNKLINE_MASTER_KEY: byte.repeat(32) }));
    const first = await startTestService(right);
    const { dataDir } = first;
    await first.service.stop(0);
    await expect(startTestService({ ...wrong, DATA_DIR: dataDir })).rejects.toThrow(/TRUNKLINE_MASTER_KEY is not the/);
    const again = await startTestService({ ...right, DATA_DIR: dataDir });
    await again.close();
  });

  it('completes only once the service accepts calls: the first call gets no 503', async () => {
    const test = await startTestService();
    try {
      expect(test.service.media.capacity()).toEqual({ accepted: true });
    } finally {
      await test.close();
    }
  });

  it.each([
    ['DATA_DIR', '/dev/null/data'],
    ['SIP_BIND', '192.0.2.1'],
    ['TAPE_DIR', '/dev/null/tape'],
  ])('names the setting that makes it fail: %s', async (name, value) => {
    await expect(startServiceProcess({ [name]: value })).rejects.toThrow(new RegExp(`did not start:[^]*${name}`));
  });

  it('leaves the first API key to the next start if it fails', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const environment = { DATA_DIR: await mkdtemp(join(tmpdir(), 'trunkline-start-')), TRUNKLINE_API_KEY: '' };
    try {
      await expect(startServiceProcess({ ...environment, HTTP_PORT: String(port) })).rejects.toThrow(
        /EADDRINUSE.*set HTTP_BIND and HTTP_PORT/,
      );
    } finally {
      other.close();
    }
    const started = await startServiceProcess(environment);
    expect(started.output()).toMatch(/^API key, shown only once: tl_[\w-]{43}$/m);
    await started.stop();
  });
});

describe('a service process', () => {
  it.each(['stdout', 'stderr'] as const)('runs and stops on SIGTERM if the reader of its %s has gone', async (gone) => {
    const port = await freeTcpPort();
    const child = spawn(process.execPath, [join(import.meta.dirname, '../../../src/cli.ts'), 'start'], {
      cwd: tmpdir(),
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        DATA_DIR: await mkdtemp(join(tmpdir(), 'trunkline-start-')),
        HTTP_PORT: String(port),
        SIP_PORT: '0',
        METRICS_BIND: 'off',
      },
    });
    child[gone].destroy();
    let output = '';
    child[gone === 'stdout' ? 'stderr' : 'stdout'].on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
    const exited = once(child, 'exit');
    await eventually(() => expect(output).toMatch(/^SIP |service started/m));
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });

  it('stops when the shell of npx exits, which alone gets the signal', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-start-'));
    const cli = join(import.meta.dirname, '../../../src/cli.ts');
    // A second command keeps the shell from replacing itself by the service.
    const shell = spawn('sh', ['-c', `"${process.execPath}" "${cli}" start; true`], {
      cwd: dataDir,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        npm_command: 'exec',
        DATA_DIR: dataDir,
        HTTP_PORT: '0',
        SIP_PORT: '0',
        METRICS_BIND: 'off',
      },
    });
    let output = '';
    // The service holds the pipe: it ends with the last process.
    const closed = once(shell.stderr, 'close');
    await new Promise<void>((started) => {
      shell.stderr.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8');
        if (/^SIP /m.test(output)) started();
      });
      shell.on('exit', () => started());
    });
    expect(output).toMatch(/^SIP /m);
    shell.kill('SIGTERM');
    await closed;
  });
});
