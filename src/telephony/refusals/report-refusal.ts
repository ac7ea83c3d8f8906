import type { InboundInvite } from '../../../sip/signalling/signalling.ts';
import type { Log } from '../../log/log.ts';
import { maskedUser } from '../numbers/masked-user.ts';
import type { Refusal, RefusalCause } from './refusal-cause.ts';
import type { RefusedInvites } from './refused-invites.ts';

export interface RefusalReportOptions {
  readonly refused: Pick<RefusedInvites, 'add'>;
  readonly metrics: { inviteRefused(cause: RefusalCause): void };
  /** The organizations with a trunk that lists the address. */
  readonly listedBy: (address: string) => readonly string[];
  readonly log: Pick<Log, 'info'>;
  readonly nowMs: () => number;
}

export type ReportRefusal = (invite: Pick<InboundInvite, 'caller' | 'dialled' | 'source'>, refusal: Refusal) => void;

/**
 * Reports each refused INVITE to the log (not those of a source at its `guess_limit`), to the metrics and to the organization that it concerns. Where it names no number and no call
 * of an organization, those that list its source see it: their trunk sent it.
 */
export function createRefusalReport({ listedBy, log, metrics, nowMs, refused }: RefusalReportOptions): ReportRefusal {
  return ({ caller, dialled, source }, { cause, detail, organizationId, status }) => {
    const [from, to] = [maskedUser(caller), maskedUser(dialled)];
    // A flood of guesses must not become a flood of lines.
    if (cause !== 'guess_limit')
      log.info(
        { source: source.address, from, to, status, cause, ...(detail !== null && { detail }) },
        'INVITE refused',
      );
    metrics.inviteRefused(cause);
    const organizations = organizationId === null ? listedBy(source.address) : [organizationId];
    refused.add({ atMs: nowMs(), cause, status, detail, source: source.address, from, to }, organizations);
  };
}
