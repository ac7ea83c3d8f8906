interface Output {
  write(text: string): unknown;
}

/** Whether the arguments of a command ask how it is used. What follows `--` is none of ours. */
export function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((arg) => arg === '--help' || arg === '-h');
}

/**
 * For a command that takes nothing: prints its usage where something follows it. Answers the exit status, 0 where the usage
 * was asked for and 2 where it was not; null where the command is to run.
 */
export function withoutArguments(
  args: readonly string[],
  usage: string,
  { stdout, stderr }: { readonly stdout: Output; readonly stderr: Output },
): number | null {
  if (args.length === 0) return null;
  if (asksForHelp(args)) {
    stdout.write(usage);
    return 0;
  }
  stderr.write(`it takes nothing: ${args.join(' ')}\n${usage}`);
  return 2;
}
