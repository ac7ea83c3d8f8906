import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects the garbage of the start of a process, half of its JavaScript heap: compiled schemas, sources, a large young generation. V8 would
 * keep that memory until the heap has grown again. Blocks the event loop for some 50 ms, so only a process that has just started may call it.
 */
export function collectStartupGarbage(): void {
  // The only way to a collection in a process that was started without the flag.
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  collect();
}
