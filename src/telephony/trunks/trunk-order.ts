import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';

/** Trunks that one call tries. A silent trunk costs 8 s; no caller waits for more of them. */
const TRUNKS_MAX = 5;

export type OrderedTrunks = readonly [SipTrunkRecord, ...SipTrunkRecord[]];

/**
 * The trunks of a call in the order to try them: the number's own, then trunks with a priority, the lowest first. Unreachable
 * trunks come last; none is left out.
 */
export function trunksInOrder(
  numberTrunk: SipTrunkRecord,
  all: readonly SipTrunkRecord[],
  isUnreachable: (trunkId: string) => boolean,
): OrderedTrunks {
  const others = all
    .flatMap((trunk) =>
      trunk.priority === null || trunk.id === numberTrunk.id ? [] : [{ trunk, place: trunk.priority }],
    )
    .sort((placed, other) => placed.place - other.place)
    .map(({ trunk }) => trunk);
  const inOrder = [numberTrunk, ...others];
  const reachable = inOrder.filter(({ id }) => !isUnreachable(id));
  const [first = numberTrunk, ...rest] = [...reachable, ...inOrder.filter(({ id }) => isUnreachable(id))];
  return [first, ...rest.slice(0, TRUNKS_MAX - 1)];
}
