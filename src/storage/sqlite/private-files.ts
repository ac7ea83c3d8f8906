import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';

/** For the owner alone: the files hold conversations, and the master key of the secrets. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const MODE_BITS = 0o777;

/** Makes the data directory, and closes an existing one to other users. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
  setMode(path, FOLDER_MODE);
}

/**
 * Makes a file before SQLite does, because SQLite leaves the mode to the umask; closes an existing one to other users. The files beside
 * a database (`-wal`, `-shm`, `-journal`) get its mode.
 */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', FILE_MODE));
  setMode(path, FILE_MODE);
}

function setMode(path: string, mode: number): void {
  const { mode: before, uid } = statSync(path);
  // A mounted volume may belong to another user: only that one can change its mode.
  const isOurs = uid === process.geteuid?.() || process.geteuid?.() === 0;
  if (isOurs && (before & MODE_BITS) !== mode) chmodSync(path, mode);
}
