import { DigestServer } from '../../sip/signalling/digest/digest-server.ts';
import type { InboundInvite } from '../../sip/signalling/signalling.ts';
import type { Secrets } from '../secrets.ts';
import type { SipTrunkRepository } from '../storage/sip-trunk-repository.ts';
import { trunkCredentials } from '../trunks/trunk-access.ts';
import { standingOf } from './source-policy.ts';

/** Part of what a peer's password is hashed with: it stays as it is. */
const REALM = 'trunkline';

export interface CallerGateOptions {
  readonly trunks: Pick<SipTrunkRepository, 'all'>;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly nowMs: () => number;
}

/** `challenged`: the INVITE has its answer, and comes again with a proof or not at all. */
export type Admission = 'admitted' | 'stranger' | 'challenged';

/** Lets callers in by their address, or by the password of a trunk. */
export class CallerGate {
  readonly #options: CallerGateOptions;
  readonly #digest: DigestServer;

  constructor(options: CallerGateOptions) {
    this.#options = options;
    this.#digest = new DigestServer(REALM, options.nowMs);
  }

  /** Rejects where the trunks cannot be read or a password does not open. */
  async admit(invite: InboundInvite, organizationId: string): Promise<Admission> {
    const standing = standingOf(invite.source.address, await this.#options.trunks.all(organizationId));
    switch (standing.type) {
      case 'known':
        return 'admitted';
      case 'stranger':
        return 'stranger';
      case 'must_prove': {
        const accepted = standing.trunks.flatMap((trunk) => trunkCredentials(this.#options.secrets, trunk) ?? []);
        const authorization = invite.header('Authorization');
        const verdict = this.#digest.check({ method: 'INVITE', uri: invite.uri, authorization }, accepted);
        if (verdict === 'proved') return 'admitted';
        invite.refuse(401, undefined, { 'WWW-Authenticate': this.#digest.challenge(verdict === 'stale') });
        return 'challenged';
      }
    }
  }
}
