interface Output {
  write(text: string): unknown;
}

/** Whether the arguments contain --help or -h before a `--`. */
export function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((arg) => arg === '--help' || arg === '-h');
}

/**
 * For a command that takes no arguments: prints its usage if there are any. Returns the exit status, 0 for --help, otherwise
 * 2; null without arguments: the command runs.
 */
export function printUsageIfArguments(
  args: readonly string[],
  usage: string,
  { stdout, stderr }: { readonly stdout: Output; readonly stderr: Output },
): number | null {
  if (args.length === 0) return null;
  if (asksForHelp(args)) {
    stdout.write(usage);
    return 0;
  }
  stderr.write(`unexpected arguments: ${args.join(' ')}\n${usage}`);
  return 2;
}
