import { DigestServer } from '../../../sip/authentication/digest-server.ts';
import type { InboundInvite } from '../../../sip/signalling/signalling.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { SipTrunkRecord, SipTrunkRepository } from '../../storage/telephony/sip-trunk-repository.ts';
import { trunkCredentials } from '../trunks/trunk-credentials.ts';
import { sourceStanding } from './trunks-of-source.ts';

/** Digest realm. Peers hash their password with it, so it never changes. */
const REALM = 'trunkline';

export interface InboundPolicyOptions {
  readonly trunks: Pick<SipTrunkRepository, 'all'>;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly nowMs: () => number;
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

/** Decides whether the source of an INVITE may call an organization: by its address, or by the password of a trunk. */
export class InboundPolicy {
  readonly #options: InboundPolicyOptions;
  readonly #digest: DigestServer;

  constructor(options: InboundPolicyOptions) {
    this.#options = options;
    this.#digest = new DigestServer(REALM, options.nowMs);
  }

  /** Sends the 401 of a `challenged` decision itself. Rejects if the trunks cannot be read or a password cannot be opened. */
  async decide(invite: InboundInvite, organizationId: string): Promise<InboundDecision> {
    const standing = sourceStanding(invite.source.address, await this.#options.trunks.all(organizationId));
    switch (standing.type) {
      case 'known': {
        const { trunks } = standing;
        const isListed = trunks.some(({ allowedAddresses }) => allowedAddresses.length > 0);
        return { type: 'allowed', trunks, isSourceTrusted: isListed };
      }
      case 'unknown':
        return { type: 'unknown_source' };
      case 'must_authenticate': {
        const proof = this.#proof(invite, standing.trunks);
        if (typeof proof !== 'string') {
          return { type: 'allowed', trunks: [proof], isSourceTrusted: true };
        }
        invite.refuse(401, undefined, { 'WWW-Authenticate': this.#digest.challenges(proof === 'stale') });
        return { type: 'challenged', wrongCredentials: proof === 'refused' && invite.header('Authorization') !== null };
      }
    }
  }

  /** The trunk whose password the INVITE proves, or why it proves none. */
  #proof(invite: InboundInvite, trunks: readonly SipTrunkRecord[]): SipTrunkRecord | 'stale' | 'refused' {
    const authorization = invite.header('Authorization');
    const request = { method: 'INVITE', uri: invite.uri, authorization };
    let failure: 'stale' | 'refused' = 'refused';
    for (const trunk of trunks) {
      const credentials = trunkCredentials(this.#options.secrets, trunk);
      const verdict = credentials === null ? 'refused' : this.#digest.check(request, [credentials]);
      if (verdict === 'valid') return trunk;
      if (verdict === 'stale') failure = 'stale';
    }
    return failure;
  }
}
