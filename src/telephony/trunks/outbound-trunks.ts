import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';

/** Trunks that one call is tried on: one that is silent takes 8 s to show it, and nobody waits for more of them. */
const TRUNKS_MAX = 5;

export type OrderedTrunks = readonly [SipTrunkRecord, ...SipTrunkRecord[]];

/**
 * The trunks of a call in the order to try them: the number's own, then those with a priority, the lowest first. What is
 * known not to be there comes behind all others, and is tried where they fail: nothing is ever locked out.
 */
export function trunksInOrder(
  own: SipTrunkRecord,
  all: readonly SipTrunkRecord[],
  isUnreachable: (trunkId: string) => boolean,
): OrderedTrunks {
  const others = all
    .flatMap((trunk) => (trunk.priority === null || trunk.id === own.id ? [] : [{ trunk, place: trunk.priority }]))
    .sort((one, other) => one.place - other.place)
    .map(({ trunk }) => trunk);
  const inOrder = [own, ...others];
  const there = inOrder.filter(({ id }) => !isUnreachable(id));
  const [first = own, ...rest] = [...there, ...inOrder.filter(({ id }) => isUnreachable(id))];
  return [first, ...rest.slice(0, TRUNKS_MAX - 1)];
}
