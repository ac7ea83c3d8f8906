import type { AddressRange } from '../../../base/network/address-range.ts';
import { AddressSet } from '../../../base/network/address-set.ts';
import { sourceNetworkOf } from '../../../base/network/source-network.ts';
import { DigestServer } from '../../../sip/authentication/digest-server.ts';
import { DEFAULT_LIMITS } from '../../../sip/server/server-limits.ts';
import type { InboundInvite } from '../../../sip/signalling/signalling.ts';
import { ChallengedInvites } from '../../../sip/source-filter/challenged-invites.ts';
import { SourceRateLimiter } from '../../../sip/source-filter/source-rate-limiter.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { SipTrunkRecord, SipTrunkRepository } from '../../storage/telephony/sip-trunk-repository.ts';
import { isBroad } from '../trunks/broad-ranges.ts';
import { trunkCredentials } from '../trunks/trunk-credentials.ts';
import { ListedSourceGuesses } from './listed-source-guesses.ts';
import { sourceStanding } from './source-standing.ts';

/** Digest realm. Peers hash their password with it, so it never changes. */
const REALM = 'trunkline';

export interface InboundPolicyOptions {
  readonly trunks: Pick<SipTrunkRepository, 'all'>;
  readonly secrets: Pick<Secrets, 'open'>;
  /** `SIP_ALLOW_ADDRESSES`: the operator's own SIP hosts. */
  readonly operatorHosts: readonly AddressRange[];
  /** `SIP_BROAD_RANGES`. */
  readonly broadRanges: readonly AddressRange[];
  /** The organizations with a trunk that lists the address. */
  readonly listedBy: (address: string) => readonly string[];
  readonly nowMs: () => number;
  /** Monotonic. */
  readonly nowUs: () => number;
}

/**
 * `trunks`: the trunks that the INVITE may have come by; empty if the organization has none. `isSourceTrusted`: a trunk lists the
 * source address, or the caller proved a password; what it asserts of its caller is believed. `challenged`: a 401 was sent; the caller
 * repeats the INVITE with credentials. `wrongCredentials`: it had some, and they prove no password.
 */
export type InboundDecision =
  | {
      readonly type: 'allowed';
      readonly trunks: readonly SipTrunkRecord[];
      readonly isSourceTrusted: boolean;
    }
  | { readonly type: 'unknown_source' }
  | { readonly type: 'challenged'; readonly wrongCredentials: boolean };

/**
 * Decides whether the source of an INVITE may call an organization: by its address, or by the password of a trunk.
 *
 * Trust is per organization: a source that only another organization lists passes the SIP server unlimited. Here its wrong
 * guesses count as those of any unknown source. Beyond the limit it is `unknown_source` for every organization that does not
 * list it. How often listed sources may be wrong at all, `ListedSourceGuesses` bounds.
 */
export class InboundPolicy {
  readonly #options: InboundPolicyOptions;
  readonly #digest: DigestServer;
  readonly #guesses = new SourceRateLimiter(
    DEFAULT_LIMITS.wrongGuessesPerSecondPerSource,
    DEFAULT_LIMITS.wrongGuessesPerSourceMax,
  );
  readonly #challenged = new ChallengedInvites();
  readonly #operatorHosts: AddressSet;
  readonly #listedGuesses: ListedSourceGuesses;

  constructor(options: InboundPolicyOptions) {
    this.#options = options;
    this.#listedGuesses = new ListedSourceGuesses(options);
    this.#operatorHosts = new AddressSet(options.operatorHosts);
    this.#digest = new DigestServer(REALM, options.nowMs);
  }

  /** False for a source whose organization has had too many wrong targets: nothing is read from the database for it. */
  allowsLookUp(invite: InboundInvite): boolean {
    return this.#operatorHosts.has(invite.source.address) || this.#listedGuesses.tryLookUp(invite);
  }

  /** Sends the 401 of a `challenged` decision itself. Rejects if the trunks cannot be read or a password cannot be opened. */
  async decide(invite: InboundInvite, organizationId: string): Promise<InboundDecision> {
    const decision = await this.#decide(invite, organizationId);
    if (decision.type === 'allowed') this.#listedGuesses.recordRightTarget(invite, organizationId);
    return decision;
  }

  async #decide(invite: InboundInvite, organizationId: string): Promise<InboundDecision> {
    const { address } = invite.source;
    const standing = sourceStanding(address, await this.#options.trunks.all(organizationId));
    if (standing.type === 'known' && this.#trusts(address, standing.trunks)) {
      return { type: 'allowed', trunks: standing.trunks, isSourceTrusted: true };
    }
    if (!this.#guess(address)) return { type: 'unknown_source' };
    switch (standing.type) {
      case 'known':
        this.#guesses.refund(sourceNetworkOf(address), 1);
        return { type: 'allowed', trunks: standing.trunks, isSourceTrusted: false };
      case 'unknown':
        return { type: 'unknown_source' };
      case 'must_authenticate': {
        const proof = this.#proof(invite, standing.trunks);
        if (typeof proof !== 'string') {
          const source = sourceNetworkOf(address);
          this.#guesses.refund(source, this.#challenged.tokensOfSuccess(source, invite.sipCallId));
          return { type: 'allowed', trunks: [proof], isSourceTrusted: true };
        }
        invite.refuse(401, undefined, { 'WWW-Authenticate': this.#digest.challenges(proof === 'stale') });
        const wrongCredentials = proof === 'refused' && invite.header('Authorization') !== null;
        if (!wrongCredentials) this.#challenged.add(sourceNetworkOf(address), invite.sipCallId);
        return { type: 'challenged', wrongCredentials };
      }
    }
  }

  /** An INVITE named no number and no staged call of this service. */
  recordUnknownTarget(invite: Pick<InboundInvite, 'source'>): void {
    this.#guess(invite.source.address);
  }

  #guess(address: string): boolean {
    return this.#guesses.tryTake(sourceNetworkOf(address), this.#options.nowUs());
  }

  #trusts(address: string, trunks: readonly SipTrunkRecord[]): boolean {
    const { broadRanges } = this.#options;
    return (
      this.#operatorHosts.has(address) ||
      trunks.some(({ allowedAddresses }) =>
        new AddressSet(allowedAddresses.filter((range) => !isBroad(range, broadRanges))).has(address),
      )
    );
  }

  /** The trunk whose password the INVITE proves, or why it proves none. */
  #proof(invite: InboundInvite, trunks: readonly SipTrunkRecord[]): SipTrunkRecord | 'stale' | 'refused' {
    const authorization = invite.header('Authorization');
    const request = { method: 'INVITE', uri: invite.uri, authorization };
    let failure: 'stale' | 'refused' = 'refused';
    for (const trunk of trunks) {
      const credentials = trunkCredentials(this.#options.secrets, trunk);
      const result = credentials === null ? 'refused' : this.#digest.check(request, [credentials]);
      if (result === 'valid') return trunk;
      if (result === 'stale') failure = 'stale';
    }
    return failure;
  }
}
