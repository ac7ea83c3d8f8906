/** Share of the process's file descriptors that HTTP connections may take. The others are for SIP, media, providers and files. */
const SHARE = 0.25;
/** Enough for any client behind a proxy; each connection takes some ten KiB. */
const CONNECTIONS_MAX = 4_096;
/** The API must respond even with very few file descriptors. */
const CONNECTIONS_MIN = 16;

/** Maximum number of HTTP connections for a limit of open files. */
export function connectionsFor(openFiles: number): number {
  return Math.min(CONNECTIONS_MAX, Math.max(CONNECTIONS_MIN, Math.floor(openFiles * SHARE)));
}
