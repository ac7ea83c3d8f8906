import type { RegisterOutcome, RegisterRequest } from '../../../sip/signalling/signalling.ts';
import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';
import type { TrunkContactRepository } from '../../storage/telephony/trunk-contact-repository.ts';

/** The stored contacts of one trunk, as the process sees them that registers it. No method rejects: calls come without them, too. */
export class OwnContact {
  readonly #trunkId: string;
  /** The registrar and the user that the contacts are registered for: those of another account cannot be removed. */
  readonly #accountJson: string;
  readonly #contacts: TrunkContactRepository;
  readonly #onFault: (error: unknown) => void;
  /** The contact that this process has registered; null: none yet. */
  #own: string | null = null;

  constructor(
    { id, terminationUri, transport, username }: SipTrunkRecord,
    contacts: TrunkContactRepository,
    onFault: (error: unknown) => void,
  ) {
    this.#trunkId = id;
    this.#accountJson = JSON.stringify([terminationUri, transport, username]);
    this.#contacts = contacts;
    this.#onFault = onFault;
  }

  /**
   * The contacts of other processes that the registrar may still have; null: the database does not answer. Those that it has no more are
   * forgotten.
   */
  async left(nowMs: number): Promise<readonly string[] | null> {
    try {
      const left: string[] = [];
      for (const { accountJson, contact, expiresMs } of await this.#contacts.of(this.#trunkId)) {
        if (contact === this.#own) continue;
        if (accountJson === this.#accountJson && expiresMs > nowMs) left.push(contact);
        else await this.#contacts.remove(this.#trunkId, contact);
      }
      return left;
    } catch (error) {
      this.#onFault(error);
      return null;
    }
  }

  async forget(contact: string): Promise<void> {
    await this.#contacts.remove(this.#trunkId, contact).catch(this.#onFault);
  }

  /** The registrar has accepted the request. */
  async changed(
    { contact, expiresSeconds }: Extract<RegisterOutcome, { type: 'registered' }>,
    request: RegisterRequest,
    nowMs: number,
  ): Promise<void> {
    if (contact === null) return;
    if (request.expiresSeconds === 0) return this.forget(contact);
    this.#own = contact;
    const expiresMs = nowMs + expiresSeconds * 1_000;
    const stored = { contact, accountJson: this.#accountJson, expiresMs };
    await this.#contacts.put(this.#trunkId, stored).catch(this.#onFault);
  }
}
