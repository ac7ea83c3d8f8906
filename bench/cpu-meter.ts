import { readFileSync } from 'node:fs';

/** The kernel reports CPU time in hundredths of a second (proc(5), `sysconf(_SC_CLK_TCK)`). */
const MS_PER_TICK = 10;

/** CPU time of this process since the call of `cpuMeter`, ms. */
export function cpuMeter(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}

/** CPU time of the child processes that ended since the call of `childrenCpuMeter`, ms; NaN if the kernel does not report it. */
export function childrenCpuMeter(): () => number {
  const before = childrenCpuMs();
  return () => childrenCpuMs() - before;
}

/** proc(5), `/proc/[pid]/stat`: `cutime` and `cstime`. The second field, the program's name, may contain blanks. */
function childrenCpuMs(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK;
  } catch {
    return Number.NaN;
  }
}
