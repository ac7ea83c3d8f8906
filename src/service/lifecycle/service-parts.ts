/** The parts of the service in the order of their start. They stop in the reverse order. */
export const PARTS = [
  'phrase cache',
  'providers',
  'database',
  'master key',
  'object storage',
  'call uploads',
  'late call files',
  'traces',
  'outgoing HTTP',
  'response mappings',
  'webhook delivery',
  'embeddings',
  'knowledge ingestion',
  'post-call questions',
  'call rollups',
  'media',
  'SIP server',
  'allowed sources',
  'signalling',
  'trunk pings',
  'end-of-turn model',
  'call hosts',
  'calls',
  'audit log',
  'agent tests',
  'API',
  'metrics',
  'retention',
  'call intake',
] as const;
export type PartName = (typeof PARTS)[number];

interface StartedPart {
  readonly name: PartName;
  readonly stop: (graceMs: number) => unknown;
}

/** The started parts of the service, and how each stops. */
export class Lifecycle {
  readonly #started: StartedPart[] = [];
  readonly #onStarted: (name: PartName) => void;
  #stopping: Promise<void> | null = null;

  /** `onStarted` is called after each part; an error of it counts as an error of the start. */
  constructor(onStarted: (name: PartName) => void = () => {}) {
    this.#onStarted = onStarted;
  }

  /**
   * Starts a part and registers how it stops. `begin` releases what it holds before it rejects. `stop` gets the time that
   * calls have to end by themselves, ms.
   *
   * @throws Error for a part that `PARTS` lists before a started part.
   */
  async start<T>(name: PartName, begin: () => T | Promise<T>, stop: (part: T, graceMs: number) => unknown): Promise<T> {
    const last = this.#started.at(-1)?.name;
    if (last !== undefined && PARTS.indexOf(name) <= PARTS.indexOf(last)) {
      throw new Error(`part started out of order: ${name} after ${last}`);
    }
    const part = await begin();
    this.#started.push({ name, stop: (graceMs) => stop(part, graceMs) });
    this.#onStarted(name);
    return part;
  }

  /**
   * Stops all started parts, the last one first. A part that fails to stop does not keep the others running. Idempotent.
   *
   * @throws AggregateError with the errors of the parts that failed to stop.
   */
  stop(graceMs: number): Promise<void> {
    this.#stopping ??= this.#stopAll(graceMs);
    return this.#stopping;
  }

  async #stopAll(graceMs: number): Promise<void> {
    const errors: Error[] = [];
    for (const { name, stop } of this.#started.toReversed()) {
      try {
        await stop(graceMs);
      } catch (error) {
        errors.push(new Error(`stopping ${name} failed`, { cause: error }));
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, errors.map(({ message }) => message).join(', '));
  }
}
