import { DEFAULT_LIMITS } from '../../../sip/server/server-limits.ts';
import type { InboundInvite } from '../../../sip/signalling/signalling.ts';
import { SourceRateLimiter } from '../../../sip/source-filter/source-rate-limiter.ts';

/** Called numbers that are remembered for each organization. Beyond: the oldest is forgotten, and counts as a guess again. */
const KNOWN_TARGETS_MAX = 1_000;
/** Longer user parts are no numbers, and are not remembered. */
const TARGET_LENGTH_MAX = 128;

type Target = Pick<InboundInvite, 'source' | 'dialled' | 'addressee' | 'serviceCallId'>;

export interface ListedSourceGuessesOptions {
  /** The organizations with a trunk that lists the address. */
  readonly listedBy: (address: string) => readonly string[];
  /** Monotonic. */
  readonly nowUs: () => number;
}

/**
 * Bounds the look-ups of wrong targets from listed addresses: the SIP server limits no listed source. Each organization has its own
 * budget, however many addresses it lists; it is as large as the budget of all unknown sources together. Several organizations may
 * list the same address of a carrier: a wrong target costs each of them a token, and the look-up is allowed if one has tokens left.
 * Without tokens, only targets that were right before are looked up: these numbers stay reachable.
 */
export class ListedSourceGuesses {
  readonly #options: ListedSourceGuessesOptions;
  readonly #budgets = new SourceRateLimiter(DEFAULT_LIMITS.wrongGuessesPerSecond, DEFAULT_LIMITS.wrongGuessesMax);
  /** By organization, the targets in the order of their first calls. */
  readonly #known = new Map<string, Set<string>>();

  constructor(options: ListedSourceGuessesOptions) {
    this.#options = options;
  }

  /** Whether the target of an INVITE may be looked up, which takes a token. Always true for a source that no trunk lists. */
  tryLookUp(target: Target): boolean {
    const organizations = this.#options.listedBy(target.source.address);
    if (organizations.length === 0 || organizations.some((id) => this.#isKnown(target, id))) return true;
    const nowUs = this.#options.nowUs();
    return organizations.filter((id) => this.#budgets.tryTake(id, nowUs)).length > 0;
  }

  /** The target belongs to this organization, which takes calls from the source. Refunds the tokens of the look-up. */
  recordRightTarget(target: Target, organizationId: string): void {
    if (this.#isKnown(target, organizationId)) return;
    for (const id of this.#options.listedBy(target.source.address)) this.#budgets.refund(id, 1);
    const key = keyOf(target);
    if (key === null) return;
    const known = this.#known.get(organizationId) ?? new Set();
    this.#known.set(organizationId, known.add(key));
    const [oldest] = known;
    if (known.size > KNOWN_TARGETS_MAX && oldest !== undefined) known.delete(oldest);
  }

  #isKnown(target: Target, organizationId: string): boolean {
    const key = keyOf(target);
    return key !== null && this.#known.get(organizationId)?.has(key) === true;
  }
}

/** A registrar writes the registered username into the Request-URI, so both count. null: a staged call, which is called once. */
function keyOf({ addressee, dialled, serviceCallId }: Target): string | null {
  const key = `${dialled} ${addressee}`;
  return serviceCallId !== null || key.length > TARGET_LENGTH_MAX ? null : key;
}
