import { WorkerEndOfTurnModel } from '../../../adapters/end-of-turn/worker-end-of-turn-model.ts';
import type { PartContext } from '../lifecycle/part-context.ts';

/** The acoustic end-of-turn model of `END_OF_TURN_MODEL`; null without one. It loads while the service starts. */
export function startEndOfTurnModel({
  clock,
  configuration,
  lifecycle,
  log,
}: PartContext): Promise<WorkerEndOfTurnModel | null> {
  const path = configuration.endOfTurnModel;
  return lifecycle.start(
    'end-of-turn model',
    () =>
      path === null
        ? null
        : new WorkerEndOfTurnModel({
            path,
            nowMs: () => clock.nowUs() / 1000,
            onReady: () => log.info({ path }, 'end-of-turn model loaded'),
            onFailed: (error) => log.error({ path, err: error }, 'end-of-turn model failed'),
          }),
    (model) => model?.close(),
  );
}
