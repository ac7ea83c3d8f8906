import { z } from 'zod';
import type { RegistrationState } from '../../../sip/signalling/registration-keeper.ts';
import type { Reachability, TrunkPings } from './trunk-pings.ts';
import type { TrunkRegistrations } from './trunk-registrations.ts';

/** What all nodes see of a trunk. Node ids are null where there is only one node. */
export interface TrunkState {
  /** By the node that registers the trunk; null: none does. */
  readonly registration: (RegistrationState & { readonly nodeId: string | null }) | null;
  /**
   * Of several nodes, as the one sees it that reaches the trunk worst; null: no node has checked it. `unreachableNodes`: those that do
   * not reach it.
   */
  readonly reachability:
    | (Reachability & { readonly nodeId: string | null; readonly unreachableNodes: readonly string[] })
    | null;
}

/** What a node sees of a trunk. */
interface Seen<T> {
  readonly nodeId: string | null;
  readonly state: T;
}

export interface TrunkStateSources {
  readonly nodeId: string | null;
  readonly registrations: Pick<TrunkRegistrations, 'state'>;
  readonly pings: Pick<TrunkPings, 'state'>;
  /** What other nodes see, by trunk. Rejects with a `DatabaseError`. */
  readonly reportsOfOthers: (
    subject: 'registration' | 'reachability',
    trunkIds: readonly string[],
  ) => Promise<readonly { readonly nodeId: string; readonly key: string; readonly body: unknown }[]>;
}

const registrationSchema = z.object({
  status: z.enum(['registering', 'registered', 'failed', 'unregistered']),
  expiresAtMs: z.number().nullable(),
  error: z.string().nullable(),
}) satisfies z.ZodType<RegistrationState>;

const reachabilitySchema = z.object({
  reachable: z.boolean(),
  status: z.number().nullable(),
  roundTripMs: z.number().nullable(),
  error: z.string().nullable(),
  sinceMs: z.number(),
}) satisfies z.ZodType<Reachability>;

/** The states of trunks over all nodes. Rejects with a `DatabaseError`. */
export async function trunkStates(
  { nodeId, pings, registrations, reportsOfOthers }: TrunkStateSources,
  trunkIds: readonly string[],
): Promise<(trunkId: string) => TrunkState> {
  const [otherRegistrations, otherChecks] = await Promise.all([
    reportsOfOthers('registration', trunkIds),
    reportsOfOthers('reachability', trunkIds),
  ]);
  return (trunkId) => {
    const ofTrunk = ({ key }: { readonly key: string }) => key === trunkId;
    return {
      registration: registrationOf([
        ...seenHere(nodeId, registrations.state(trunkId)),
        ...seenElsewhere(otherRegistrations.filter(ofTrunk), registrationSchema),
      ]),
      reachability: reachabilityOf([
        ...seenHere(nodeId, pings.state(trunkId)),
        ...seenElsewhere(otherChecks.filter(ofTrunk), reachabilitySchema),
      ]),
    };
  };
}

function seenHere<T>(nodeId: string | null, state: T | null): readonly Seen<T>[] {
  return state === null ? [] : [{ nodeId, state }];
}

/** A report of another version that this one cannot read is left out. */
function seenElsewhere<T>(
  reports: readonly { readonly nodeId: string; readonly body: unknown }[],
  schema: z.ZodType<T>,
): readonly Seen<T>[] {
  return reports.flatMap(({ body, nodeId }) => {
    const { data, success } = schema.safeParse(body);
    return success ? [{ nodeId, state: data }] : [];
  });
}

/** Two nodes may have one while the registration passes from one to the other. */
function registrationOf(seen: readonly Seen<RegistrationState>[]): TrunkState['registration'] {
  const found = seen.find(({ state }) => state.status === 'registered') ?? seen[0];
  return found === undefined ? null : { ...found.state, nodeId: found.nodeId };
}

function reachabilityOf(seen: readonly Seen<Reachability>[]): TrunkState['reachability'] {
  const [worst] = [...seen].sort(worseFirst);
  if (worst === undefined) return null;
  const unreachableNodes = seen.flatMap(({ nodeId, state }) => (state.reachable || nodeId === null ? [] : [nodeId]));
  return { ...worst.state, nodeId: worst.nodeId, unreachableNodes: unreachableNodes.sort() };
}

/** Unreachable for longest, then the slowest. Each node finds the same one. */
function worseFirst(one: Seen<Reachability>, other: Seen<Reachability>): number {
  if (one.state.reachable !== other.state.reachable) return one.state.reachable ? 1 : -1;
  const bySince = one.state.reachable ? 0 : one.state.sinceMs - other.state.sinceMs;
  const byTime = (other.state.roundTripMs ?? 0) - (one.state.roundTripMs ?? 0);
  return bySince || byTime || (one.nodeId ?? '').localeCompare(other.nodeId ?? '');
}
