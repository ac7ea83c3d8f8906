import type { Clock } from '../../../base/time/clock.ts';
import type { InboundInvite } from '../../../sip/signalling/signalling.ts';
import { RefusalRateLimiter } from '../../../sip/source-filter/refusal-rate-limiter.ts';
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
  readonly clock: Pick<Clock, 'nowUs' | 'wallMs'>;
}

export type ReportRefusal = (invite: Pick<InboundInvite, 'caller' | 'dialled' | 'source'>, refusal: Refusal) => void;

/** Causes of the SIP layer, which refuses before the limits of the inbound policy. */
const RATE_LIMITED: ReadonlySet<RefusalCause> = new Set(['invalid_request', 'unavailable']);

/**
 * Reports each refused INVITE to the log, to the metrics, and to the organization that it concerns. If it names no number and no call
 * of an organization, the organizations that list its source see it: their trunk sent it. The metrics count every refusal.
 * The log has none of a source at its `guess_limit`. Log and organization get those of the SIP layer at a limited rate.
 */
export function createRefusalReport({ clock, listedBy, log, metrics, refused }: RefusalReportOptions): ReportRefusal {
  const limiter = new RefusalRateLimiter();
  return ({ caller, dialled, source }, { cause, detail, organizationId, status }) => {
    metrics.inviteRefused(cause);
    if (RATE_LIMITED.has(cause) && !limiter.tryTake(source.address, clock.nowUs())) return;
    const [from, to] = [maskedUser(caller), maskedUser(dialled)];
    // A flood of guesses must not become a flood of lines.
    if (cause !== 'guess_limit')
      log.info(
        { source: source.address, from, to, status, cause, ...(detail !== null && { detail }) },
        'INVITE refused',
      );
    const organizations = organizationId === null ? listedBy(source.address) : [organizationId];
    refused.add({ atMs: clock.wallMs(), cause, status, detail, source: source.address, from, to }, organizations);
  };
}
