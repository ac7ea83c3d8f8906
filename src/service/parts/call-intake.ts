import type { Calls } from '../../calls/compose-calls.ts';
import type { PartContext } from '../lifecycle/part-context.ts';
import type { CallDependencies } from './calls.ts';

/**
 * Announces the service to its trunks, and starts the work that waits for it. The last part to start and the first to stop:
 * it accepts no new call then, lets calls in progress finish within the grace time and ends the rest, while the API still runs.
 */
export async function startCallIntake(
  { lifecycle }: PartContext,
  { background, storedFiles, storage, telephony }: CallDependencies,
  calls: Calls,
): Promise<void> {
  const { registrations } = telephony;
  await lifecycle.start(
    'call intake',
    async () => {
      for (const trunk of await storage.repositories.sipTrunks.registering()) registrations.add(trunk);
      void calls.finishRecordings().then(() => storedFiles.checkLeft());
      background.wake(null);
      calls.watchLoad();
    },
    async (_, graceMs) => {
      // Another node registers the trunks while the calls of this one go on.
      await storage.node.resign();
      await Promise.all([calls.service.drain(graceMs), registrations.stop()]);
    },
  );
}
