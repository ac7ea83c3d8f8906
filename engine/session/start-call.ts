import type { CallHandle, CallOptions } from './call-handle.ts';
import { CallRunner } from './call-runner.ts';

export type { CallHandle, CallOptions, CallView } from './call-handle.ts';

/**
 * Runs one call from its first event to its end. Once it runs, a failure ends only this call.
 *
 * @throws if the agent has no initial state for these parameters, or if a port refuses its listener
 */
export function startCall(options: CallOptions): CallHandle {
  const runner = new CallRunner(options);
  runner.start();
  return runner;
}
