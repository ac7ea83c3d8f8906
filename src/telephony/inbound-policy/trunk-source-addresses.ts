import { type AddressRange, textsOf } from '../../../base/network/address-range.ts';
import { AddressSet } from '../../../base/network/address-set.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { AllowedSources } from '../../../sip/source-filter/source-filter.ts';
import type { Log } from '../../log/log.ts';
import type { SipTrunkRecord, SipTrunkRepository } from '../../storage/telephony/sip-trunk-repository.ts';
import { isBroad } from '../trunks/broad-ranges.ts';

/** How long a change of trunks at another node may stay unknown here. */
const REFRESH_MS = 30_000;

export interface AllowedSourceListOptions {
  readonly trunks: Pick<SipTrunkRepository, 'byOrganization'>;
  /** `SIP_ALLOW_ADDRESSES`: the operator's own SIP hosts. */
  readonly allow: readonly AddressRange[];
  /** `SIP_BROAD_RANGES`. */
  readonly broad: readonly AddressRange[];
  readonly clock: Pick<Clock, 'after'>;
  /** Called at the start, and after each change of the list. */
  readonly onList: (sources: AllowedSources) => void;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * The addresses that any organization of this service takes calls from. The SIP server ignores all others. `InboundPolicy` still
 * decides on each call.
 */
export class AllowedSourceList {
  readonly #options: AllowedSourceListOptions;
  #reported = '';
  /** The addresses that the trunks of each organization list. */
  #listedBy: readonly { readonly organizationId: string; readonly addresses: AddressSet }[] = [];
  #running: Promise<void> = Promise.resolve();
  #stopTimer = () => {};
  #stopped = false;

  constructor(options: AllowedSourceListOptions) {
    this.#options = options;
  }

  /** Reads the trunks again, after a read in progress. Never rejects: on a failure the previous list stays. */
  refresh(): Promise<void> {
    this.#running = this.#running.then(() => this.#read());
    return this.#running;
  }

  /** The organizations with a trunk that lists the address. */
  organizationsListing(address: string): readonly string[] {
    return this.#listedBy.flatMap(({ addresses, organizationId }) => (addresses.has(address) ? [organizationId] : []));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopTimer();
    await this.#running;
  }

  async #read(): Promise<void> {
    if (this.#stopped) return;
    this.#stopTimer();
    const { allow, broad, clock, log, onList, trunks } = this.#options;
    try {
      const organizations = await trunks.byOrganization();
      this.#listedBy = organizations.flatMap((own) => {
        const [first] = own;
        const addresses = new AddressSet(
          own.flatMap(({ allowedAddresses }) => allowedAddresses.filter((range) => !isBroad(range, broad))),
        );
        return first === undefined ? [] : [{ organizationId: first.organizationId, addresses }];
      });
      const sources = allowedSourcesOf(organizations, allow, broad);
      const text = JSON.stringify(sources);
      if (text !== this.#reported) onList(sources);
      this.#reported = text;
    } catch (error) {
      log.warn({ err: error }, 'SIP source list reload failed');
    }
    if (!this.#stopped) this.#stopTimer = clock.after(REFRESH_MS, () => void this.refresh());
  }
}

type Listing = Pick<SipTrunkRecord, 'allowedAddresses'>;

/**
 * @param organizations the trunks of each organization that has an agent or a trunk. An organization without a trunk, or with a
 * trunk that lists no address, takes calls from anywhere (`sourceStanding`). Without any organization all sources are allowed.
 * A broad range of a trunk opens the service, as unknown sources, to callers that `InboundPolicy` then judges: no organization
 * can lift limits for the addresses of others.
 */
export function allowedSourcesOf(
  organizations: readonly (readonly Listing[])[],
  allow: readonly AddressRange[],
  broad: readonly AddressRange[],
): AllowedSources {
  const isBroadHere = (range: string) => isBroad(range, broad);
  const isOpen = (trunks: readonly Listing[]) =>
    trunks.length === 0 ||
    trunks.some(({ allowedAddresses }) => allowedAddresses.length === 0 || allowedAddresses.some(isBroadHere));
  const ranges = organizations.flatMap((trunks) => trunks.flatMap(({ allowedAddresses }) => allowedAddresses));
  return {
    listed: [...new Set([...textsOf(allow), ...ranges.filter((range) => !isBroadHere(range))])],
    open: organizations.length === 0 || organizations.some(isOpen),
  };
}
