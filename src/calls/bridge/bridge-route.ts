import { isIP } from 'node:net';
import type { AddressRange } from '../../../base/network/address-range.ts';
import { AddressSet } from '../../../base/network/address-set.ts';
import type { Credentials } from '../../../sip/authentication/digest-response.ts';
import { getParameter } from '../../../sip/message/parameters.ts';
import { decodeUser, parseUri, type SipUri } from '../../../sip/message/uri.ts';
import type { TrunkAddress } from '../../../sip/signalling/signalling.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { PhoneNumberRepository } from '../../storage/telephony/phone-number-repository.ts';
import type { SipTrunkRecord, SipTrunkRepository } from '../../storage/telephony/sip-trunk-repository.ts';
import { trunksInOrder } from '../../telephony/trunks/outbound-trunks.ts';
import { trunkAddress, trunkCredentials } from '../../telephony/trunks/trunk-access.ts';
import type { TrunkCapacity } from '../../telephony/trunks/trunk-capacity.ts';

/** Where a bridge's INVITE goes. */
export interface BridgeRoute {
  readonly trunk: TrunkAddress;
  /** User part. */
  readonly to: string;
  readonly credentials: Credentials | null;
  /** What the offer may hold. */
  readonly terms: Pick<SipTrunkRecord, 'codecs' | 'srtp' | 'inbandDtmf'>;
  /** Takes a place among the trunk's calls; answers what gives it back, null where the trunk is at a limit. */
  readonly take: () => (() => void) | null;
}

/** Whose call is bridged. */
export interface BridgedCall {
  readonly callId: string;
  readonly organizationId: string;
  /** The number of ours that was called, or called: whom the bridge's leg comes from. */
  readonly ownNumber: string;
}

export interface BridgeRouterOptions {
  readonly numbers: Pick<PhoneNumberRepository, 'findByNumber'>;
  readonly trunks: Pick<SipTrunkRepository, 'all'>;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly capacity: Pick<TrunkCapacity, 'take'>;
  /** Known not to be there now. */
  readonly isUnreachable: (trunkId: string) => boolean;
  /** `SIP_ALLOW_ADDRESSES`. */
  readonly allow: readonly AddressRange[];
  /** Addresses of a host's name. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
}

/** In the order to try them, one or more. */
export type BridgeRoutes = readonly [BridgeRoute, ...BridgeRoute[]];

/** Answers where to, or why not, in words for the model. */
export type BridgeRouter = (call: BridgedCall, destination: string) => Promise<BridgeRoutes | string>;

/**
 * Numbers go out through the trunk of the call's own number, or the only trunk that there is, then through those that stand
 * in for it. A SIP URI goes through the
 * trunk whose host it names, or to a host of the operator's own, all of whose addresses are allowed.
 */
export function createBridgeRouter(options: BridgeRouterOptions): BridgeRouter {
  const allowed = new AddressSet(options.allow);

  const ofOwnHost = async (uri: SipUri, to: string): Promise<BridgeRoutes | string> => {
    const host = uri.host.replace(/^\[|\]$/g, '');
    const addresses = isIP(host) === 0 ? await options.resolve(host).catch(() => []) : [host];
    const [address] = addresses;
    if (address === undefined || !addresses.every((one) => allowed.has(one))) return 'its host is not allowed here';
    const transport = getParameter(uri.parameters, 'transport')?.toLowerCase() === 'tcp' ? 'tcp' : 'udp';
    const trunk = { host: address, port: uri.port, transport } as const;
    const terms = { codecs: [], srtp: 'off', inbandDtmf: false } as const;
    return [{ trunk, to, credentials: null, terms, take: () => () => {} }];
  };

  const overTrunk = (trunk: SipTrunkRecord, to: string): BridgeRoute => ({
    trunk: trunkAddress(trunk),
    to,
    // Asked for once it is this trunk's turn: a password that does not open costs no other trunk the call.
    get credentials() {
      return trunkCredentials(options.secrets, trunk);
    },
    // A key that is a tone goes across as it is: nobody listens for it on this leg.
    terms: { codecs: trunk.codecs, srtp: trunk.srtp, inbandDtmf: false },
    take: () => options.capacity.take(trunk),
  });

  return async (call, destination) => {
    const trunks = await options.trunks.all(call.organizationId);
    if (destination.startsWith('+')) {
      const number = await options.numbers.findByNumber(call.ownNumber);
      const trunkId = number?.organizationId === call.organizationId ? number.trunkId : null;
      const trunk = trunks.find(({ id }) => id === trunkId) ?? (trunks.length === 1 ? trunks[0] : undefined);
      if (trunk === undefined) return 'there is no SIP trunk for it';
      const [first, ...others] = trunksInOrder(trunk, trunks, options.isUnreachable);
      return [overTrunk(first, destination), ...others.map((one) => overTrunk(one, destination))];
    }
    const uri = parseUri(destination);
    if (uri === null || uri.scheme === 'tel' || uri.user === null) return 'its address names nobody';
    if (uri.scheme === 'sips') return 'it can only be called encrypted, which a bridge is not';
    const to = decodeUser(uri.user);
    const trunk = trunks.find((one) => leadsTo(one, uri));
    return trunk === undefined ? ofOwnHost(uri, to) : [overTrunk(trunk, to)];
  };
}

function leadsTo(trunk: SipTrunkRecord, { host, port }: SipUri): boolean {
  const target = trunkAddress(trunk);
  const trunkPort = target.port ?? (target.transport === 'tls' ? 5061 : 5060);
  return target.host.toLowerCase() === host.toLowerCase() && (port === null || port === trunkPort);
}
