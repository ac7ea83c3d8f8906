import type { CallHandle, CallOptions } from './call-handle.ts';
import { CallRunner } from './call-runner.ts';

export type { CallHandle, CallOptions, CallView } from './call-handle.ts';

/** Runs one call from its first event to its end. Never throws: a failure ends only this call. */
export function startCall(options: CallOptions): CallHandle {
  const shell = new CallRunner(options);
  shell.start();
  return shell;
}
