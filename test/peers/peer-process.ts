import { spawn, spawnSync } from 'node:child_process';

export interface PeerResult {
  readonly exitCode: number | null;
  readonly output: string;
}

/** Runs a peer until it exits. After `timeoutMs` it is killed, and `exitCode` is null. */
export function runPeer(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly timeoutMs: number },
): Promise<PeerResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: options.cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-200_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs);
    child.on('error', reject);
    child.on('close', (exitCode) => {
      clearTimeout(timer);
      resolve({ exitCode, output });
    });
  });
}

/**
 * Whether a peer's tests can run. Where `TRUNKLINE_REQUIRE_PEERS` is set (CI), a missing peer is an error instead of a
 * skipped test.
 */
export function hasPeer(command: string): boolean {
  const found = spawnSync('which', [command]).status === 0;
  if (!found && process.env.TRUNKLINE_REQUIRE_PEERS !== undefined) throw new Error(`${command} is not installed`);
  if (!found) console.warn(`skipped: ${command} is not installed`);
  return found;
}
