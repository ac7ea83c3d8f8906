import type { MasterKeyNode } from '../storage/access/master-key-repository.ts';
import type { SealedPlace, SealedValueRepository } from '../storage/access/sealed-value-repository.ts';
import type { StoredMasterKeys } from './master-key.ts';
import type { MasterKeyRing } from './master-key-ring.ts';
import { isSealed, keyIdOf, SecretError, sealedKeyId } from './secrets.ts';

/** How long a rotation waits for the running nodes, ms: many looks. */
export const NODES_WAIT_MS = 60_000;
const POLL_INTERVAL_MS = 500;

export interface RotationOptions {
  /** The keys of the database, with the current one sealing. */
  readonly keyring: MasterKeyRing;
  readonly repositories: StoredMasterKeys;
  readonly values: SealedValueRepository;
  /** Ids of the nodes that run now. */
  readonly runningNodes: () => Promise<readonly string[]>;
  readonly sleep: (ms: number) => Promise<void>;
}

export interface RotationCounts {
  /** Stored texts that were sealed again. */
  readonly resealed: number;
  /** Texts that no known key opens: they were unreadable before. */
  readonly unreadable: number;
}

/**
 * Seals every stored secret with `newKey`, beside running services. Each step is complete or can be repeated: after an interruption a
 * second call with the same key continues. Until `finishRotation` both keys start a service.
 *
 * @throws SecretError if another rotation is unfinished, or a node does not take part
 */
export async function rotateMasterKey(options: RotationOptions, newKey: Uint8Array): Promise<RotationCounts> {
  const { keyring, repositories } = options;
  const newId = keyIdOf(newKey);
  const stored = await repositories.masterKeys.keys();
  if (stored.length > 0 && !stored.some(({ id }) => id === newId)) {
    throw new SecretError('the rotation to another key is not finished: give its key file again, then use --finish');
  }
  const oldId = stored.find(({ id }) => id !== newId)?.id ?? keyring.currentId;
  if (oldId === newId) throw new SecretError('the secrets are sealed with this key already');
  const proof = await repositories.masterKeyProof.find();
  if (proof === null) throw new SecretError('the database has no master key yet: start the service once');
  keyring.add(newKey);
  await repositories.masterKeys.announce([
    { id: newId, sealedWith: oldId, keySealed: keyring.sealKey(newId, oldId) },
    { id: oldId, sealedWith: newId, keySealed: keyring.sealKey(oldId, newId) },
  ]);
  await allNodes(options, ({ knownKeyIds }) => knownKeyIds.includes(newId), 'has not read the new key');
  keyring.sealWith(newId);
  if (keyring.keyIdFor(proof, 'master_key_proof') !== newId) {
    await repositories.masterKeyProof.replace(proof, keyring.seal('', 'master_key_proof'));
  }
  return resealAll(options);
}

/**
 * Seals with the new key what nodes have stored with the old one since, and forgets the old key.
 *
 * @throws SecretError if no rotation is unfinished, or if this command or a running node was started with the old key
 */
export async function finishRotation(options: RotationOptions): Promise<RotationCounts> {
  const { keyring, repositories } = options;
  if ((await repositories.masterKeys.keys()).length === 0) throw new SecretError('no rotation is unfinished');
  if (keyring.ownId !== keyring.currentId) {
    throw new SecretError(
      'the settings name the old key: set TRUNKLINE_MASTER_KEY or DATA_DIR/master.key to the new one first',
    );
  }
  await allNodes(
    options,
    (node) => node.ownKeyId === keyring.currentId,
    'was started with the old key: restart it with the new one',
  );
  const counts = await resealAll(options);
  await repositories.masterKeys.clear();
  return counts;
}

/** Waits until each running node satisfies the condition. */
async function allNodes(
  { repositories, runningNodes, sleep }: RotationOptions,
  isReady: (node: MasterKeyNode) => boolean,
  fault: string,
): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += POLL_INTERVAL_MS) {
    const running = await runningNodes();
    const ready = (await repositories.masterKeys.nodes()).filter(isReady).map(({ nodeId }) => nodeId);
    const missing = running.find((id) => !ready.includes(id));
    if (missing === undefined) return;
    if (waitedMs >= NODES_WAIT_MS) {
      throw new SecretError(`the running service ${missing} ${fault}. Nothing is lost: run this command again`);
    }
    await sleep(POLL_INTERVAL_MS);
  }
}

async function resealAll({ keyring, values }: RotationOptions): Promise<RotationCounts> {
  let resealed = 0;
  for (;;) {
    let unreadable = 0;
    const reseal = (text: string, place: SealedPlace): string | null => {
      const renewed = place === 'agent_configuration' ? withHeaders(keyring, text) : renewedValue(keyring, text, place);
      if (renewed === undefined) unreadable += 1;
      return renewed ?? null;
    };
    const count = await values.rewrite(reseal);
    if (count === 0) return { resealed, unreadable };
    resealed += count;
  }
}

/** The value sealed with the current key; null: it is already; undefined: no key opens it. */
function renewedValue(
  keyring: MasterKeyRing,
  sealed: string,
  purpose: 'idempotent_answer' | 'secret_header' | 'trunk_password' | 'webhook_secret',
): string | null | undefined {
  if (sealedKeyId(sealed) === keyring.currentId) return null;
  if (keyring.keyIdFor(sealed, purpose) === null) return undefined;
  return keyring.seal(keyring.open(sealed, purpose), purpose);
}

/** A configuration with its secret headers sealed with the current key; null and undefined as for a value. */
function withHeaders(keyring: MasterKeyRing, json: string): string | null | undefined {
  let isChanged = false;
  let isUnreadable = false;
  const configuration: unknown = JSON.parse(json, (_, part: unknown) => {
    if (!isSealedHeader(part)) return part;
    const value = renewedValue(keyring, part.value, 'secret_header');
    isUnreadable ||= value === undefined;
    isChanged ||= typeof value === 'string';
    return { ...part, value: value ?? part.value };
  });
  if (isChanged) return JSON.stringify(configuration);
  return isUnreadable ? undefined : null;
}

function isSealedHeader(part: unknown): part is { readonly value: string } {
  if (typeof part !== 'object' || part === null || !('secret' in part) || !('value' in part)) return false;
  return part.secret === true && typeof part.value === 'string' && isSealed(part.value);
}
