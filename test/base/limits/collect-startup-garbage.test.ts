import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { collectStartupGarbage } from '../../../base/limits/collect-startup-garbage.ts';

it('collects the garbage of the process, and leaves no collector to later contexts', () => {
  const isExposed = () => runInNewContext('typeof gc') === 'function';
  const wasExposed = isExposed();
  const kept = new WeakRef({ words: 'of the start' });
  // A WeakRef keeps its target until the task in which it was made has ended.
  return new Promise<void>((resolve) => {
    setImmediate(() => {
      collectStartupGarbage();
      expect(kept.deref()).toBeUndefined();
      if (!wasExposed) expect(isExposed()).toBe(false);
      resolve();
    });
  });
});
