import { readdirSync, readFileSync } from 'node:fs';

/** CPU of the threads of one name, ms. Node names workers by their option `name`, its own threads `MainThread`, `V8Worker`, `libuv-worker`. */
export type ThreadTimes = Readonly<Record<string, number>>;

/** The threads of this process (proc(5)). Empty where the kernel does not show them. */
const TASKS = '/proc/self/task';

/** CPU of each thread since the start of this process, by name. Threads of one name are added up. */
export function threadTimes(): ThreadTimes {
  const times: Record<string, number> = {};
  for (const task of tasks()) {
    const found = timeOf(`${TASKS}/${task}`);
    if (found !== null) times[found.name] = (times[found.name] ?? 0) + found.ms;
  }
  return times;
}

/** CPU between two readings. A thread that ended in between counts until the first one. */
export function between(before: ThreadTimes, after: ThreadTimes): ThreadTimes {
  return Object.fromEntries(
    Object.entries(after).map(([name, ms]) => [name, Math.max(0, ms - (before[name] ?? 0))] as const),
  );
}

function tasks(): readonly string[] {
  try {
    return readdirSync(TASKS);
  } catch {
    return [];
  }
}

/** Null for a thread that has ended. The first number of `schedstat` is the time on a core, in ns. */
function timeOf(folder: string): { readonly name: string; readonly ms: number } | null {
  try {
    const name = readFileSync(`${folder}/comm`, 'utf8').trim();
    return { name, ms: Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1e6 };
  } catch {
    return null;
  }
}
