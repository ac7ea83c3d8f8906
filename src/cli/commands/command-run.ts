import { printableLines } from '../../../base/text/printable.ts';
import { asksForHelp } from './help.ts';

export interface CommandOutput {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/**
 * Runs a command of the command line. Resolves to its exit status: 0 done, 1 failed, 2 wrong usage.
 * @param parse reads the arguments and returns the work, which resolves to the text for standard output. Throws for wrong
 *   usage.
 */
export async function runCommand(
  args: readonly string[],
  usage: string,
  { stdout, stderr }: CommandOutput,
  parse: () => () => Promise<string>,
): Promise<number> {
  if (asksForHelp(args)) {
    stdout.write(usage);
    return 0;
  }
  let work: () => Promise<string>;
  try {
    work = parse();
  } catch (error) {
    stderr.write(printableLines(`${messageOf(error)}\n${usage}`));
    return 2;
  }
  try {
    stdout.write(printableLines(await work()));
    return 0;
  } catch (error) {
    stderr.write(printableLines(`${messageOf(error)}\n`));
    return 1;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
