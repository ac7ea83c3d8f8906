import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { printableLines } from '../../../base/text/printable.ts';
import { pause } from '../../../base/time/pause.ts';
import { SYSTEM_CLOCK } from '../../../base/time/system-clock.ts';
import { type Configuration, loadConfiguration } from '../../configuration/configuration.ts';
import { ConfigurationError } from '../../configuration/configuration-error.ts';
import type { ObjectStore } from '../../object-storage/object-store.ts';
import { openStoredFiles } from '../../object-storage/stored-files.ts';
import { storedCallStatus } from '../../storage/calls/stored-call-status.ts';
import { isFinal } from '../../storage/schema/call-status.ts';
import { copyTape, hasTapeFile } from '../files/stored-tape.ts';
import { asksForHelp } from './help.ts';

const TAPE_USAGE = `trunkline tape export CALL_ID [DIR]

  Copies the tape of a call from DATA_DIR or STORAGE_URL to DIR (default: ./tape-CALL_ID), which must not exist.
  The service may be running. Calls of agents with record_tape have a tape.

  Exit status: 0 copied, 1 no such tape, 2 wrong usage.
`;

/** Time to wait for the tape of a call that has just ended. */
const COMPLETE_WAIT_MS = 3_000;
const POLL_INTERVAL_MS = 100;

/** Only UUIDs may become part of a path. */
export const CALL_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

interface Output {
  write(text: string): unknown;
}

/** `trunkline tape export CALL_ID [DIR]`: resolves to the exit status of the usage. */
export async function tapeCommand(
  given: readonly string[],
  environment: NodeJS.ProcessEnv,
  out: Output,
): Promise<number> {
  const [verb, callId, directory, ...more] = given;
  if (asksForHelp(given)) {
    out.write(TAPE_USAGE);
    return 0;
  }
  if (verb !== 'export' || callId === undefined || !CALL_ID.test(callId) || more.length > 0) {
    const isNoId = verb === 'export' && callId !== undefined && !CALL_ID.test(callId);
    out.write(`${isNoId ? `${callId} is not a call id: expected a UUID\n` : ''}${TAPE_USAGE}`);
    return 2;
  }
  try {
    const configuration = loadConfiguration(environment);
    const target = resolve(directory ?? `tape-${callId.toLowerCase()}`);
    out.write(`${await exportTape(configuration, callId.toLowerCase(), target)}\n`);
    return 0;
  } catch (error) {
    out.write(`${printableLines(error instanceof Error ? error.message : String(error))}\n`);
    return error instanceof ConfigurationError ? 2 : 1;
  }
}

async function exportTape(configuration: Configuration, callId: string, target: string): Promise<string> {
  const { dataDir } = configuration;
  const status = await storedCallStatus(configuration, callId);
  if (status === null) throw new Error(`call ${callId} not found in ${dataDir}`);
  if (!isFinal(status)) throw new Error(`call ${callId} is ${status}: export its tape after its end`);
  const files = await openStoredFiles(configuration);
  try {
    if (!(await hasTapeFile(files, callId, 'tape.jsonl'))) {
      throw new Error(`call ${callId} has no tape: record_tape of its agent was off, or the tape could not be written`);
    }
    if (await exists(target)) throw new Error(`${target} already exists`);
    const isComplete = await becomesComplete(files, callId);
    await copyTape(files, callId, target);
    return `${target}${isComplete ? '' : ' (incomplete: the process or the disk failed before the end of the call)'}`;
  } finally {
    files.close();
  }
}

/** The tape is complete when `expected.json` exists: it is written last. */
async function becomesComplete(files: Pick<ObjectStore, 'find'>, callId: string): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < COMPLETE_WAIT_MS; waitedMs += POLL_INTERVAL_MS) {
    if (await hasTapeFile(files, callId, 'expected.json')) return true;
    await pause(SYSTEM_CLOCK, POLL_INTERVAL_MS);
  }
  return false;
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
