import { readdirSync, readFileSync } from 'node:fs';

/** Used if the limit cannot be read: the default of most systems. */
const OPEN_FILES_DEFAULT = 1_024;

/** Maximum number of open files of this process (`ulimit -n`; Node raises the soft limit to the hard one). */
export function openFileLimit(): number {
  try {
    return openFilesIn(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    // Not Linux.
    return OPEN_FILES_DEFAULT;
  }
}

/** Open file descriptors of this process. null: not Linux, or no descriptor is left to read them with. */
export function openFiles(): number | null {
  try {
    // One of them reads the folder.
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return null;
  }
}

/** Reads the soft limit from `/proc/self/limits` (proc_pid_limits(5)). */
export function openFilesIn(limits: string): number {
  const soft = /^Max open files +(\d+|unlimited)/m.exec(limits)?.[1];
  if (soft === undefined) return OPEN_FILES_DEFAULT;
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}
