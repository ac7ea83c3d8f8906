import { type IpFamily, ipFamilyOf } from '../../base/network/ip-address.ts';
import { type DialogState, routeOf } from '../dialog/dialog-state.ts';
import { getParameter } from '../message/parameters.ts';
import { parseUri } from '../message/uri.ts';
import type { IsConcealed } from '../transport/concealed-addresses.ts';
import { type Target, type TargetResolver, targetOf } from '../transport/resolve-target.ts';
import type { Hop, Hops } from '../transport/transport-address.ts';
import type { UserAgentCore } from './user-agent-core.ts';

/**
 * The hops to a target outside any dialog. `unknown`: it cannot be resolved; `refused`: no request may go to its addresses.
 * @param body of the request: hops of the IP family of its session description come first, since our media is there.
 */
export async function hopsToTarget(
  resolver: TargetResolver,
  target: Target,
  body: Uint8Array,
): Promise<Hops | 'unknown' | 'refused'> {
  const found = await resolver.lookUp(target);
  const allowed = familyFirst(resolver.allowed(found), mediaFamily(body));
  return asHops(allowed) ?? (found.length === 0 ? 'unknown' : 'refused');
}

/**
 * The hops of a request inside a dialog: the route set or the remote target, then the source of the peer's last message. A
 * Contact may contain an unknown name, or the unreachable address of a peer behind NAT. The concealed address of a peer that
 * is elsewhere is left out: the time until the next hop would show whether its port is closed. null without any hop.
 */
export async function hopsInDialog(
  { isConcealed, resolver }: Pick<UserAgentCore, 'isConcealed' | 'resolver'>,
  dialog: DialogState,
): Promise<Hops | null> {
  const target = targetInDialog(dialog);
  const family = ipFamilyOf(dialog.source.address);
  const isElsewhere = dialog.source.address !== '' && !isConcealed(dialog.source.address);
  const found = target === null ? [] : familyFirst(await resolver.resolve(target), family);
  const resolved = found.filter(({ address }) => !isElsewhere || !isConcealed(address));
  const source = dialog.source.address === '' ? [] : [dialog.source];
  const [first] = resolved;
  if (first === undefined) return asHops(source);
  return asHops([...resolved, ...source.filter(({ transport }) => transport === first.transport)]);
}

/**
 * The hops that one transaction may try one after another: a refused connection leads to the next one at once. That would show the
 * closed port of a concealed hop to the owner of the next, so such a hop stands alone.
 */
export function hopsOfTransaction(isConcealed: IsConcealed, [first, ...others]: Hops): Hops {
  if (isConcealed(first.address)) return [first];
  const end = others.findIndex(({ address }) => isConcealed(address));
  return end === -1 ? [first, ...others] : [first, ...others.slice(0, end)];
}

/** The hops of one IP family before the others, otherwise in their order. */
function familyFirst(hops: readonly Hop[], family: IpFamily | null): readonly Hop[] {
  const isPreferred = ({ address }: Hop) => family === null || ipFamilyOf(address) === family;
  return [...hops.filter(isPreferred), ...hops.filter((hop) => !isPreferred(hop))];
}

/** The family of the first c= line (RFC 8866 §5.7); null without one. */
function mediaFamily(body: Uint8Array): IpFamily | null {
  const [, version] = /^c=IN IP([46]) /m.exec(Buffer.from(body).toString('latin1')) ?? [];
  if (version === undefined) return null;
  return version === '4' ? 4 : 6;
}

/** A peer over TCP whose URI names no transport is not contacted over UDP. */
function targetInDialog(dialog: DialogState): Target | null {
  const { nextHop } = routeOf(dialog);
  const target = targetOf(nextHop);
  const uri = parseUri(nextHop);
  const hasNoTransport = uri !== null && getParameter(uri.parameters, 'transport') === null;
  return target !== null && hasNoTransport ? { ...target, transport: dialog.source.transport } : target;
}

function asHops([first, ...others]: readonly Hop[]): Hops | null {
  return first === undefined ? null : [first, ...others];
}
