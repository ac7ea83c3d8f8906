import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../base/time/clock.ts';
import type { RegistrationState } from '../../../sip/signalling/registration-keeper.ts';
import { RegistrationKeeper } from '../../../sip/signalling/registration-keeper.ts';
import type { RegisterOutcome, RegisterRequest, Signalling } from '../../../sip/signalling/signalling.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';
import type { TrunkContactRepository } from '../../storage/telephony/trunk-contact-repository.ts';
import { OwnContact } from './own-contact.ts';
import { trunkAddress } from './trunk-address.ts';
import { trunkCredentials } from './trunk-credentials.ts';

export interface TrunkRegistrationsOptions {
  readonly signalling: Pick<Signalling, 'register' | 'onConnectionLost'>;
  readonly secrets: Pick<Secrets, 'open'>;
  /** The contacts that registrars have of us, also those of processes that died. */
  readonly contacts: TrunkContactRepository;
  readonly clock: Clock;
  /** Whether this node is the one that registers trunks: the leader of several nodes. */
  readonly leads: () => boolean;
  /** At least 0 and below 1. */
  readonly random: () => number;
  readonly onChange: (trunkId: string, state: RegistrationState) => void;
  /** A contact of a process that died was removed from the registrar. */
  readonly onContactRemoved: (trunkId: string, contact: string) => void;
  /** The password of a trunk cannot be opened, or its contacts cannot be read or stored. */
  readonly onFault: (trunkId: string, error: unknown) => void;
}

type Registration = Pick<RegisterRequest, 'trunk' | 'credentials' | 'sipCallId'>;

interface KeptTrunk {
  readonly keeper: RegistrationKeeper;
  /** The trunk as it was registered, as JSON. */
  readonly settings: string;
}

/**
 * The registrations of the trunks, on the node that leads. A registrar keeps the contact of a process that died until it expires, and
 * sends it calls: the next process that registers the trunk removes it first (RFC 3261 §10.2.2). A registrar that accepts a single
 * contact has room then, too.
 */
export class TrunkRegistrations {
  readonly #options: TrunkRegistrationsOptions;
  readonly #keepers = new Map<string, KeptTrunk>();
  #stopped = false;

  constructor(options: TrunkRegistrationsOptions) {
    this.#options = options;
    options.signalling.onConnectionLost((connection) => {
      for (const { keeper } of this.#keepers.values()) keeper.connectionLost(connection);
    });
  }

  /** Starts the registration of a trunk, if it has one and this node leads. */
  add(trunk: SipTrunkRecord): void {
    const { clock, contacts, leads, onChange, onFault, random, secrets } = this.#options;
    if (this.#stopped || !leads() || !trunk.register || this.#keepers.has(trunk.id)) return;
    try {
      const credentials = trunkCredentials(secrets, trunk);
      if (credentials === null) throw new Error('a registration needs a username and a password');
      const request: Registration = { trunk: trunkAddress(trunk), credentials, sipCallId: randomUUID() };
      const own = new OwnContact(trunk, contacts, (error) => onFault(trunk.id, error));
      const keeper = new RegistrationKeeper({
        request,
        register: (registration) => this.#register(trunk.id, own, registration),
        clock,
        random,
        onState: (state) => onChange(trunk.id, state),
      });
      this.#keepers.set(trunk.id, { keeper, settings: JSON.stringify(trunk) });
      keeper.start();
    } catch (error) {
      onFault(trunk.id, error);
    }
  }

  /** Never rejects. */
  async #register(trunkId: string, own: OwnContact, registration: RegisterRequest): Promise<RegisterOutcome> {
    const { clock, leads, signalling } = this.#options;
    if (registration.expiresSeconds > 0) {
      const left = await own.left(clock.wallMs());
      // The process stood still: another node leads by now, and the next `sync` removes this registration. Without the database no node
      // leads, and the registration goes on.
      if (left !== null && !leads()) return anotherLeads(registration);
      await this.#removeLeft(trunkId, left ?? [], own, registration);
    }
    const outcome = await signalling.register(registration);
    if (outcome.type === 'registered') await own.changed(outcome, registration, clock.wallMs());
    return outcome;
  }

  /** Removes the contacts of processes that died. One that the registrar does not remove is tried again before the next refresh. */
  async #removeLeft(
    trunkId: string,
    left: readonly string[],
    own: OwnContact,
    { credentials, trunk }: RegisterRequest,
  ): Promise<void> {
    const { onContactRemoved, signalling } = this.#options;
    for (const contact of left) {
      // A registrar ignores the order of requests with different Call-IDs.
      const removal = { trunk, credentials, sipCallId: randomUUID(), cseq: 1, expiresSeconds: 0, contact };
      const outcome = await signalling.register(removal);
      if (outcome.type !== 'registered') continue;
      await own.forget(contact);
      onContactRemoved(trunkId, contact);
    }
  }

  /** Unregisters a trunk. Never rejects. */
  async remove(trunkId: string): Promise<void> {
    const kept = this.#keepers.get(trunkId);
    this.#keepers.delete(trunkId);
    await kept?.keeper.stop();
  }

  /** Unregisters with the old settings of a changed trunk and registers with the new ones. Never rejects. */
  async replace(trunk: SipTrunkRecord): Promise<void> {
    await this.remove(trunk.id);
    this.add(trunk);
  }

  /** Follows changes that other nodes made, and the lead: these are all trunks that register. */
  sync(trunks: readonly SipTrunkRecord[]): void {
    const wanted = new Map(this.#options.leads() ? trunks.map((trunk) => [trunk.id, trunk]) : []);
    for (const [trunkId, { settings }] of this.#keepers) {
      const trunk = wanted.get(trunkId);
      if (trunk === undefined) void this.remove(trunkId);
      else if (JSON.stringify(trunk) !== settings) {
        wanted.delete(trunkId);
        void this.replace(trunk);
      }
    }
    for (const trunk of wanted.values()) this.add(trunk);
  }

  /** null for a trunk that this node does not register. */
  state(trunkId: string): RegistrationState | null {
    return this.#keepers.get(trunkId)?.keeper.state ?? null;
  }

  /** The states of all trunks that this node registers. */
  states(): ReadonlyMap<string, RegistrationState> {
    return new Map([...this.#keepers].map(([trunkId, { keeper }]) => [trunkId, keeper.state]));
  }

  /** Unregisters all trunks and registers no more. Resolves within two seconds. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#keepers.keys()].map((trunkId) => this.remove(trunkId)));
  }
}

function anotherLeads({ cseq }: RegisterRequest): RegisterOutcome {
  return { type: 'refused', status: null, reason: 'another node registers the trunk', retryAfterSeconds: null, cseq };
}
