import { cp, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pause } from '../../../base/time/pause.ts';
import { SYSTEM_CLOCK } from '../../../base/time/system-clock.ts';
import { type Configuration, loadConfiguration } from '../../configuration/configuration.ts';
import { ConfigurationError } from '../../configuration/configuration-error.ts';
import { storedCallStatus } from '../../storage/calls/stored-call-status.ts';
import { isFinal } from '../../storage/schema/call-status.ts';
import { asksForHelp } from './help.ts';

const TAPE_USAGE = `trunkline tape export CALL_ID [DIR]

  Copies the tape of a call out of DATA_DIR into DIR (./tape-CALL_ID where none is given), which must not exist yet.
  The service may be running. A call has a tape where its agent has record_tape on.

  Exit status: 0 copied, 1 there is no such tape, 2 the command was not understood.
`;

/** A call that has ended this moment: its tape is whole soon after its status says so. */
const WHOLE_WAIT_MS = 3_000;
const LOOK_EVERY_MS = 100;

/** Ids are UUIDs: nothing else may become part of a path. */
const CALL_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

interface Output {
  write(text: string): unknown;
}

/** `trunkline tape export CALL_ID [DIR]`: answers the exit status, as the usage tells it. */
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
    out.write(`${isNoId ? `${callId} is no id of a call: it is a UUID\n` : ''}${TAPE_USAGE}`);
    return 2;
  }
  try {
    const configuration = loadConfiguration(environment);
    const target = resolve(directory ?? `tape-${callId.toLowerCase()}`);
    out.write(`${await exportTape(configuration, callId.toLowerCase(), target)}\n`);
    return 0;
  } catch (error) {
    out.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof ConfigurationError ? 2 : 1;
  }
}

async function exportTape(configuration: Configuration, callId: string, target: string): Promise<string> {
  const { dataDir } = configuration;
  const status = await storedCallStatus(configuration, callId);
  if (status === null) throw new Error(`there is no call ${callId} in ${dataDir}`);
  if (!isFinal(status)) throw new Error(`call ${callId} is ${status}: its tape is whole once it has ended`);
  const tape = join(dataDir, 'tapes', callId);
  if (!(await exists(join(tape, 'tape.jsonl')))) {
    throw new Error(`call ${callId} has no tape: record_tape of its agent was off, or the tape could not be written`);
  }
  if (await exists(target)) throw new Error(`${target} exists already`);
  const isWhole = await becomesWhole(tape);
  await cp(tape, target, { recursive: true });
  return `${target}${isWhole ? '' : ' (incomplete: the process died, or the disk failed, before the end of the call)'}`;
}

/** `expected.json` is the last file written. */
async function becomesWhole(tape: string): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < WHOLE_WAIT_MS; waitedMs += LOOK_EVERY_MS) {
    if (await exists(join(tape, 'expected.json'))) return true;
    await pause(SYSTEM_CLOCK, LOOK_EVERY_MS);
  }
  return false;
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
