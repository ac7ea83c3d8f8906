import type { CallHandle, StartCall } from './call-handle.ts';
import { CallShell } from './call-shell.ts';

export type { CallHandle, CallView, StartCall } from './call-handle.ts';

/** Runs one call from its first event to its end. It never throws: whatever fails ends that call alone. */
export function startCall(order: StartCall): CallHandle {
  const shell = new CallShell(order);
  shell.start();
  return shell;
}
