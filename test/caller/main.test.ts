import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SipCallee } from '../sip-endpoint/sip-callee.ts';

let uas: SipCallee;

beforeEach(async () => {
  uas = await SipCallee.open();
});

afterEach(() => uas.close());

async function run(...options: string[]): Promise<{ status: unknown; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [new URL('./main.ts', import.meta.url).pathname, ...options]);
  const [[status], stdout, stderr] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { status, stdout, stderr };
}

describe('the caller as a process', () => {
  it('prints its report as JSON and exits with 1 when the call was not answered', async () => {
    uas.onRequest = (request) => {
      if (request.method === 'INVITE') uas.respond(request, 404, 'Not Found');
    };
    const target = `${uas.hop.host}:${uas.hop.port}`;
    const { status, stdout } = await run('--target', target, '--to', '+4930123', '--header', 'X-Service-Call-Id: a:b');
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ statuses: [404], endedBy: 'refused', heardMs: 0 });
    expect(uas.requests[0]?.headers).toContainEqual({ name: 'X-Service-Call-Id', value: 'a:b' });
  });

  it.each([
    ['no target', ['--to', 'agent']],
    ['a target without a port', ['--target', 'localhost', '--to', 'agent']],
    ['an option that it does not know', ['--target', 'localhost:5060', '--to', 'agent', '--loud']],
    ['audio that cannot be read', ['--target', 'localhost:5060', '--to', 'agent', '--audio', import.meta.filename]],
  ])('refuses %s', async (_name, options) => {
    const { status, stdout, stderr } = await run(...options);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--target HOST:PORT');
  });
});
