import type { Clock } from '../../base/time/clock.ts';
import type { Log } from '../log/log.ts';
import { addStoredKeys, type StoredMasterKeys } from './master-key.ts';
import type { MasterKeyRing } from './master-key-ring.ts';

/** Interval at which a node looks for a rotation, ms: one small read. A rotation waits that long for each node. */
export const LOOK_INTERVAL_MS = 2_000;

export interface MasterKeyWatchOptions {
  readonly keyring: MasterKeyRing;
  /** Empty on SQLite, which has a single node. */
  readonly nodeId: string;
  readonly repositories: StoredMasterKeys;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/**
 * Lets a running node take part in a rotation of the master key: it reads the new key from the database, records that it has it, and
 * seals with it once the rotation does. No value is sealed with a key before all running nodes have it. After the rotation it forgets
 * the old key.
 */
export class MasterKeyWatch {
  readonly #options: MasterKeyWatchOptions;
  #cancelTimer = (): void => {};
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: MasterKeyWatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.#lookLater();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    await this.#looking;
  }

  /** Never rejects: a failed reading is repeated at the next look. */
  async look(): Promise<void> {
    const { keyring, log, nodeId, repositories } = this.#options;
    try {
      if ((await addStoredKeys(keyring, repositories.masterKeys)) === 0) return await this.#forgetOldKey();
      const { ids: knownKeyIds, ownId: ownKeyId } = keyring;
      await repositories.masterKeys.acknowledge({ nodeId, ownKeyId, knownKeyIds });
      const proof = await repositories.masterKeyProof.find();
      const current = proof === null ? null : keyring.keyIdFor(proof, 'master_key_proof');
      if (current === null || current === keyring.currentId) return;
      keyring.sealWith(current);
      log.info({ key_id: current }, 'master key replaced');
    } catch (error) {
      log.warn({ err: error }, 'master key check failed');
    }
  }

  /** Without a rotation there is one key. A node that was started with the old one keeps both, since its own opens nothing. */
  async #forgetOldKey(): Promise<void> {
    const { keyring, repositories } = this.#options;
    if (keyring.ids.length === 1) return;
    const proof = await repositories.masterKeyProof.find();
    if (proof !== null && keyring.keyIdFor(proof, 'master_key_proof') === keyring.ownId) keyring.keepOwn();
  }

  #lookLater(): void {
    this.#cancelTimer = this.#options.clock.after(LOOK_INTERVAL_MS, () => {
      this.#looking = this.look().then(() => {
        if (!this.#isStopped) this.#lookLater();
      });
    });
  }
}
