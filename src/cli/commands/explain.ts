import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { printable, printableLines } from '../../../base/text/printable.ts';
import { tapeInput } from '../../../engine/timeline/tape-input.ts';
import { loadConfiguration } from '../../configuration/configuration.ts';
import { silenceLines } from '../explain/silence-lines.ts';
import { readTapeFolder } from '../files/tape-folder.ts';
import { asksForHelp } from './help.ts';
import { CALL_ID } from './tape-export.ts';

const EXPLAIN_USAGE = `trunkline explain CALL_ID|DIR

  Says why a recorded call was silent: for each time of more than a second in which the user waited and heard nothing,
  its causes, the largest first, with their shares and evidence. CALL_ID is a call with a tape in
  DATA_DIR (record_tape of its agent), DIR a tape.

  Exit status: 0 explained, 1 no such tape or an invalid one, 2 wrong usage.
`;

interface Output {
  write(text: string): unknown;
}

/** `trunkline explain`: resolves to the exit status of the usage. */
export async function explainCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  out: Output,
): Promise<number> {
  const [target, ...more] = args;
  if (asksForHelp(args)) {
    out.write(EXPLAIN_USAGE);
    return 0;
  }
  if (target === undefined || target.startsWith('-') || more.length > 0) {
    out.write(EXPLAIN_USAGE);
    return 2;
  }
  try {
    out.write((await tapeLines(await folderOf(target, environment))).map((line) => `${printable(line)}\n`).join(''));
    return 0;
  } catch (error) {
    out.write(`${printableLines(error instanceof Error ? error.message : String(error))}\n`);
    return 1;
  }
}

/** The folder of the tape. Rejects if the call has none. */
async function folderOf(target: string, environment: NodeJS.ProcessEnv): Promise<string> {
  if (!CALL_ID.test(target)) return target;
  const { dataDir } = loadConfiguration(environment);
  const folder = join(dataDir, 'tapes', target.toLowerCase());
  await stat(join(folder, 'tape.jsonl')).catch(() => {
    throw new Error(`call ${target} has no tape in ${dataDir}: set record_tape on its agent for the next calls`);
  });
  return folder;
}

async function tapeLines(directory: string): Promise<readonly string[]> {
  const input = tapeInput((await readTapeFolder(directory)).entries);
  return silenceLines(input, input.transcript, 0);
}
