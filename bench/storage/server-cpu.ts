import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The kernel reports CPU time in hundredths of a second (proc(5), `sysconf(_SC_CLK_TCK)`). */
const MS_PER_TICK = 10;

/** CPU time of all processes of the PostgreSQL server of a folder since the call, ms. */
export function serverCpuMeter(folder: string): () => number {
  const postmaster = readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0] ?? '';
  const before = serverCpuMs(postmaster);
  return () => serverCpuMs(postmaster) - before;
}

function serverCpuMs(postmaster: string): number {
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
  const own = children.map((pid) => ticks(pid, [11, 12]));
  // Those that have ended count for the postmaster.
  return (own.reduce((sum, one) => sum + one, 0) + ticks(postmaster, [11, 12, 13, 14])) * MS_PER_TICK;
}

/** proc(5), `/proc/[pid]/stat`: fields behind the program's name. 0: the process has ended. */
function ticks(pid: string, fields: readonly number[]): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const values = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.reduce((sum, field) => sum + Number(values[field]), 0);
  } catch {
    return 0;
  }
}
