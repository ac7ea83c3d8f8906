import { readFileSync } from 'node:fs';

/** Share of the process's file descriptors that HTTP connections may take. The others are for SIP, media, providers and files. */
const SHARE = 0.25;
/** Enough for any client behind a proxy; each connection takes some ten KiB. */
const CONNECTIONS_MAX = 4_096;
/** The API must respond even with very few file descriptors. */
const CONNECTIONS_MIN = 16;
/** Used if the limit cannot be read: the default of most systems. */
const OPEN_FILES_DEFAULT = 1_024;

/** Maximum number of HTTP connections for a limit of open files. */
export function connectionsFor(openFiles: number): number {
  return Math.min(CONNECTIONS_MAX, Math.max(CONNECTIONS_MIN, Math.floor(openFiles * SHARE)));
}

/** Maximum number of open files of this process (`ulimit -n`; Node raises the soft limit to the hard one). */
export function openFileLimit(): number {
  try {
    return openFilesIn(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    // Not Linux.
    return OPEN_FILES_DEFAULT;
  }
}

/** Reads the soft limit from `/proc/self/limits` (proc_pid_limits(5)). */
export function openFilesIn(limits: string): number {
  const soft = /^Max open files +(\d+|unlimited)/m.exec(limits)?.[1];
  if (soft === undefined) return OPEN_FILES_DEFAULT;
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}
