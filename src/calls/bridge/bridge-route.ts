import { isIP } from 'node:net';
import type { AddressRange } from '../../../base/network/address-range.ts';
import { AddressSet } from '../../../base/network/address-set.ts';
import type { Credentials } from '../../../sip/authentication/digest-response.ts';
import { getParameter } from '../../../sip/message/parameters.ts';
import { decodeUser, formatUri, parseUri, type SipUri } from '../../../sip/message/uri.ts';
import type { TrunkAddress } from '../../../sip/signalling/signalling.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { PhoneNumberRepository } from '../../storage/telephony/phone-number-repository.ts';
import type { SipTrunkRecord, SipTrunkRepository } from '../../storage/telephony/sip-trunk-repository.ts';
import type { DestinationPolicy } from '../../telephony/destinations/destination-ruling.ts';
import { type RedirectTarget, redirectTarget } from '../../telephony/destinations/redirect-target.ts';
import { ownTrunk } from '../../telephony/trunks/own-trunk.ts';
import { trunkAddress } from '../../telephony/trunks/trunk-address.ts';
import type { TrunkCapacity } from '../../telephony/trunks/trunk-capacity.ts';
import { trunkCredentials } from '../../telephony/trunks/trunk-credentials.ts';
import { trunksInOrder } from '../../telephony/trunks/trunk-order.ts';

/** The destination of a bridge's INVITE. */
export interface BridgeRoute {
  readonly trunk: TrunkAddress;
  /** null: a host that is no trunk. */
  readonly trunkId: string | null;
  /** User part. */
  readonly to: string;
  readonly credentials: Credentials | null;
  /** See `InviteRequest`. */
  readonly fromUser: string | null;
  readonly fromDomain: string | null;
  /** The target of a Contact of this route; or why it may not be followed. */
  readonly redirect: (contact: string) => RedirectTarget | string;
  /** Restrictions of the SDP offer. */
  readonly terms: Pick<SipTrunkRecord, 'codecs' | 'srtp' | 'inbandDtmf'>;
  /** Takes capacity of the trunk. Resolves with a function that releases it; null if the trunk is at a limit. */
  readonly take: () => Promise<(() => void) | null>;
}

/** The call that is bridged. */
export interface BridgedCall {
  readonly callId: string;
  readonly organizationId: string;
  /** Our number in this call: the caller ID of the second leg. */
  readonly ownNumber: string;
}

export interface BridgeRouterOptions {
  readonly numbers: Pick<PhoneNumberRepository, 'findByNumber'>;
  readonly trunks: Pick<SipTrunkRepository, 'all'>;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly capacity: Pick<TrunkCapacity, 'take'>;
  /** Whether a trunk failed its last ping. */
  readonly isUnreachable: (trunkId: string) => boolean;
  /** `SIP_ALLOW_ADDRESSES`. */
  readonly allow: readonly AddressRange[];
  readonly destinations: DestinationPolicy;
  /** Resolves a host name. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
}

/** One or more routes, in the order of attempts. */
export type BridgeRoutes = readonly [BridgeRoute, ...BridgeRoute[]];

/** Returns the routes, or why there are none, as text for the model. */
export type BridgeRouter = (call: BridgedCall, destination: string) => Promise<BridgeRoutes | string>;

/**
 * Numbers go out through the trunk of the call's own number, or the only trunk, then through its fallback trunks. A SIP URI goes
 * through the trunk whose host it names, or to a host if all its addresses are in `SIP_ALLOW_ADDRESSES`.
 */
export function createBridgeRouter(options: BridgeRouterOptions): BridgeRouter {
  const allowed = new AddressSet(options.allow);

  const ofOwnHost = async (uri: SipUri, trunks: readonly SipTrunkRecord[]): Promise<BridgeRoutes | string> => {
    const addresses = await addressesOf(uri.host, options);
    const [address] = addresses;
    if (address === undefined || !addresses.every((resolved) => allowed.has(resolved)))
      return 'its host is not allowed here';
    // The host may be another name or address of a trunk: the destination is judged at the addresses that both have now.
    const atAddress = formatUri({ ...uri, host: isIP(address) === 6 ? `[${address}]` : address });
    const located = await Promise.all(trunks.map((trunk) => withAddresses(trunk, options)));
    const ruling = options.destinations(atAddress, { trunks: located, own: null });
    const to = ruling.ok ? userOf(ruling.destination) : null;
    if (!ruling.ok || to === null) return ruling.ok ? 'its address has no user part' : ruling.reason;
    const transport = getParameter(uri.parameters, 'transport')?.toLowerCase() === 'tcp' ? 'tcp' : 'udp';
    const trunk = { host: address, port: uri.port, transport } as const;
    const terms = { codecs: [], srtp: 'off', inbandDtmf: false } as const;
    return [
      {
        trunk,
        trunkId: null,
        to,
        credentials: null,
        fromUser: null,
        fromDomain: null,
        redirect: () => 'redirects of this host are not followed',
        terms,
        take: async () => () => {},
      },
    ];
  };

  const overTrunk = (trunk: SipTrunkRecord, to: string, trunks: readonly SipTrunkRecord[]): BridgeRoute => ({
    trunk: trunkAddress(trunk),
    trunkId: trunk.id,
    to,
    // Opened when this trunk is tried, so a password that cannot be opened does not affect the other trunks.
    get credentials() {
      return trunkCredentials(options.secrets, trunk);
    },
    fromUser: trunk.fromUser,
    fromDomain: trunk.fromDomain,
    redirect: (contact) => redirectTarget(contact, trunk, trunks, options.destinations),
    // DTMF tones pass through as audio: this leg has no listener for them.
    terms: { codecs: trunk.codecs, srtp: trunk.srtp, inbandDtmf: false },
    take: () => options.capacity.take(trunk),
  });

  return async (call, destination) => {
    const trunks = await options.trunks.all(call.organizationId);
    if (destination.startsWith('+')) {
      const trunk = await ownTrunk(call, trunks, options.numbers);
      if (trunk === null) return 'there is no SIP trunk for it';
      const [first, ...others] = trunksInOrder(trunk, trunks, options.isUnreachable);
      return [overTrunk(first, destination, trunks), ...others.map((other) => overTrunk(other, destination, trunks))];
    }
    const uri = parseUri(destination);
    const to = userOf(destination);
    if (uri === null || uri.scheme === 'tel' || to === null) return 'its address has no user part';
    if (uri.scheme === 'sips') return 'it requires encryption, which a bridge does not support';
    const trunk = trunks.find((candidate) => leadsTo(candidate, uri));
    return trunk === undefined ? ofOwnHost(uri, trunks) : [overTrunk(trunk, to, trunks)];
  };
}

type Resolver = Pick<BridgeRouterOptions, 'resolve'>;

/** The addresses that a SIP host has now; empty if it has none. */
async function addressesOf(sipHost: string, { resolve }: Resolver): Promise<readonly string[]> {
  const host = sipHost.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? resolve(host).catch(() => []) : [host];
}

/** The trunk with the addresses of its host among its own. */
async function withAddresses(trunk: SipTrunkRecord, resolver: Resolver): Promise<SipTrunkRecord> {
  const addresses = await addressesOf(trunkAddress(trunk).host, resolver);
  return { ...trunk, allowedAddresses: [...trunk.allowedAddresses, ...addresses] };
}

/** The decoded user part of a SIP URI; null without one. */
function userOf(destination: string): string | null {
  const uri = parseUri(destination);
  return uri === null || uri.scheme === 'tel' || uri.user === null ? null : decodeUser(uri.user);
}

function leadsTo(trunk: SipTrunkRecord, { host, port }: SipUri): boolean {
  const target = trunkAddress(trunk);
  const trunkPort = target.port ?? (target.transport === 'tls' ? 5061 : 5060);
  return target.host.toLowerCase() === host.toLowerCase() && (port === null || port === trunkPort);
}
