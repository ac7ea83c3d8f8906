import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../base/time/clock.ts';
import type { RegistrationState } from '../../../sip/signalling/registration-keeper.ts';
import { RegistrationKeeper } from '../../../sip/signalling/registration-keeper.ts';
import type { Signalling } from '../../../sip/signalling/signalling.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';
import { trunkAddress } from './trunk-address.ts';
import { trunkCredentials } from './trunk-credentials.ts';

export interface TrunkRegistrationsOptions {
  readonly signalling: Pick<Signalling, 'register' | 'onConnectionLost'>;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly clock: Clock;
  /** Whether this node is the one that registers trunks: the leader of several nodes. */
  readonly leads: () => boolean;
  /** At least 0 and below 1. */
  readonly random: () => number;
  readonly onChange: (trunkId: string, state: RegistrationState) => void;
  /** The password of a trunk cannot be opened. */
  readonly onFault: (trunkId: string, error: unknown) => void;
}

interface KeptTrunk {
  readonly keeper: RegistrationKeeper;
  /** The trunk as it was registered, as JSON. */
  readonly settings: string;
}

/** The registrations of the trunks, on the node that leads. */
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
    const { clock, leads, onChange, onFault, random, secrets, signalling } = this.#options;
    if (this.#stopped || !leads() || !trunk.register || this.#keepers.has(trunk.id)) return;
    try {
      const credentials = trunkCredentials(secrets, trunk);
      if (credentials === null) throw new Error('a registration needs a username and a password');
      const keeper = new RegistrationKeeper({
        request: { trunk: trunkAddress(trunk), credentials, sipCallId: randomUUID() },
        register: (registration) => signalling.register(registration),
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
