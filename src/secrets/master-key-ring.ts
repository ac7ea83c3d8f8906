import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { keyIdOf, openSealed, SecretError, type SecretPurpose, type Secrets, seal, sealedKeyId } from './secrets.ts';

const SIGNING_KEY_BYTES = 32;

interface RingKey {
  readonly key: Uint8Array;
  readonly signingKey: Uint8Array;
}

/** The master keys that this process knows. One seals and signs; every one opens. During a rotation there are two. */
export class MasterKeyRing implements Secrets {
  readonly #keys = new Map<string, RingKey>();
  /** Id of the key that the settings name. */
  readonly ownId: string;
  #current: string;

  constructor(key: Uint8Array) {
    this.ownId = this.add(key);
    this.#current = this.ownId;
  }

  /** The id of the key that seals. */
  get currentId(): string {
    return this.#current;
  }

  get ids(): readonly string[] {
    return [...this.#keys.keys()];
  }

  has(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  /** Adds a key that opens. Returns its id. */
  add(key: Uint8Array): string {
    const id = keyIdOf(key);
    const signingKey = Buffer.from(hkdfSync('sha256', key, '', 'trunkline signed urls', SIGNING_KEY_BYTES));
    this.#keys.set(id, { key, signingKey });
    return id;
  }

  /** Seals and signs with this key from now on. @throws SecretError for an unknown key */
  sealWith(keyId: string): void {
    this.#keyOf(keyId);
    this.#current = keyId;
  }

  /** Seals and signs with the key of the settings, and forgets every other one: what they sealed and signed is not accepted any more. */
  keepOwn(): void {
    const own = this.#keyOf(this.ownId);
    this.#current = this.ownId;
    this.#keys.clear();
    this.#keys.set(this.ownId, own);
  }

  /** A key of these, sealed with another one of these. */
  sealKey(keyId: string, withKeyId: string): string {
    return seal(this.#keyOf(withKeyId).key, Buffer.from(this.#keyOf(keyId).key).toString('hex'), 'master_key');
  }

  /** The key that sealed the value for this purpose; null: none of these. */
  keyIdFor(sealed: string, purpose: SecretPurpose): string | null {
    const named = sealedKeyId(sealed);
    const candidates = named === null ? [...this.#keys.keys()] : [named];
    return candidates.find((id) => this.#opensWith(id, sealed, purpose)) ?? null;
  }

  seal(plain: string, purpose: SecretPurpose): string {
    return seal(this.#keyOf(this.#current).key, plain, purpose);
  }

  open(sealed: string, purpose: SecretPurpose): string {
    const named = sealedKeyId(sealed);
    if (named !== null) return openSealed(this.#keyOf(named).key, sealed, purpose);
    const id = this.keyIdFor(sealed, purpose) ?? this.#current;
    return openSealed(this.#keyOf(id).key, sealed, purpose);
  }

  sign(text: string): string {
    return signature(this.#keyOf(this.#current), text);
  }

  isSignature(text: string, given: string): boolean {
    return [...this.#keys.values()].some((key) => isEqual(given, signature(key, text)));
  }

  #opensWith(id: string, sealed: string, purpose: SecretPurpose): boolean {
    const found = this.#keys.get(id);
    if (found === undefined) return false;
    try {
      openSealed(found.key, sealed, purpose);
      return true;
    } catch {
      return false;
    }
  }

  #keyOf(id: string): RingKey {
    const found = this.#keys.get(id);
    if (found !== undefined) return found;
    throw new SecretError(`A stored secret was sealed with another master key (${id})`);
  }
}

function signature({ signingKey }: RingKey, text: string): string {
  return createHmac('sha256', signingKey).update(text).digest('base64url');
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
