/** The other end of `BenchProcess`: handles the parent's commands, and exits with the parent. */
export function onParentCommand<Command>(take: (command: Command) => void): void {
  process.on('message', (command: Command) => take(command));
  process.on('disconnect', () => process.exit(1));
  process.on('SIGTERM', () => process.exit(0));
}

export function notifyParent<Notice extends { readonly type: string }>(notice: Notice): void {
  process.send?.(notice);
}

/** A variable of the environment, which the parent sets. Throws without it. */
export function requiredVariable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
