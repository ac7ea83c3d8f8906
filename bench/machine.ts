import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';

/** The machine and the commit of a measurement. */
export interface Machine {
  readonly model: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly node: string;
  /** Null outside a checkout. A final `+`: with uncommitted changes. */
  readonly commit: string | null;
  /** Load average of the last minute: other load changes the results. */
  readonly loadAverage: number;
}

export function describeMachine(): Machine {
  return {
    model: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    commit: commit(),
    loadAverage: loadavg()[0] ?? Number.NaN,
  };
}

export function machineLine({ model, cores, kernel, node, commit, loadAverage }: Machine): string {
  return `${model}, ${cores} cores, Linux ${kernel}, Node ${node}, commit ${commit ?? 'unknown'}, load ${loadAverage.toFixed(1)} at the start.`;
}

function commit(): string | null {
  try {
    const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', cwd: import.meta.dirname }).trim();
    return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '+');
  } catch {
    return null;
  }
}
