import { printable, printableLines } from '../../../base/text/printable.ts';
import { tapeInput } from '../../../engine/timeline/tape-input.ts';
import { silenceLines } from '../explain/silence-lines.ts';
import { readTapeFolder } from '../files/tape-folder.ts';
import { asksForHelp } from './help.ts';

const EXPLAIN_USAGE = `trunkline explain DIR

  Says why a recorded call was silent: for each time of more than a second in which the user waited and heard nothing,
  its causes, the largest first, with their shares and evidence. DIR is a tape.

  Exit status: 0 explained, 1 invalid tape, 2 wrong usage.
`;

interface Output {
  write(text: string): unknown;
}

/** `trunkline explain`: resolves to the exit status of the usage. */
export async function explainCommand(
  args: readonly string[],
  _environment: NodeJS.ProcessEnv,
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
    out.write((await tapeLines(target)).map((line) => `${printable(line)}\n`).join(''));
    return 0;
  } catch (error) {
    out.write(`${printableLines(error instanceof Error ? error.message : String(error))}\n`);
    return 1;
  }
}

async function tapeLines(directory: string): Promise<readonly string[]> {
  const input = tapeInput((await readTapeFolder(directory)).entries);
  return silenceLines(input, input.transcript, 0);
}
