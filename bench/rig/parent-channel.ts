/** The other end of `Child`: hears the parent's orders, and ends with it. */
export function onParentCommand<Command>(take: (command: Command) => void): void {
  process.on('message', (command: Command) => take(command));
  process.on('disconnect', () => process.exit(1));
  process.on('SIGTERM', () => process.exit(0));
}

export function notifyParent<Notice extends { readonly type: string }>(notice: Notice): void {
  process.send?.(notice);
}

/** Of the process's environment, which the parent wrote. */
export function requiredVariable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
