import type { SipTrunkRecord } from '../storage/sip-trunk-repository.ts';

/** Trunks that one call is tried on: one that is silent over UDP takes 32 s to show it, and nobody waits for more of them. */
const TRUNKS_MAX = 5;

/** The trunks of a call in the order to try them: the number's own, then those with a priority, the lowest first. */
export function trunksInOrder(own: SipTrunkRecord, all: readonly SipTrunkRecord[]): readonly SipTrunkRecord[] {
  const others = all
    .flatMap((trunk) => (trunk.priority === null || trunk.id === own.id ? [] : [{ trunk, place: trunk.priority }]))
    .sort((one, other) => one.place - other.place)
    .map(({ trunk }) => trunk);
  return [own, ...others].slice(0, TRUNKS_MAX);
}
