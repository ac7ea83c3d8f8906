import type { Clock } from '../../base/time/clock.ts';
import {
  type InviteRefusal,
  type InviteRefusalReason,
  type InviteSource,
  inviteRefusal,
} from '../message/invite-refusal.ts';
import type { SipRequest } from '../message/sip-message.ts';
import { RefusalRateLimiter } from '../source-filter/refusal-rate-limiter.ts';

/** Reports the INVITEs that the server refuses itself, and counts those beyond the rate of reports. */
export class RefusalReports {
  readonly counters = { refusalsUnreported: 0 };
  readonly #limiter = new RefusalRateLimiter();
  readonly #clock: Pick<Clock, 'nowUs'>;
  readonly #report: (refusal: InviteRefusal) => void;

  constructor(clock: Pick<Clock, 'nowUs'>, report: (refusal: InviteRefusal) => void) {
    this.#clock = clock;
    this.#report = report;
  }

  /** Ignores requests that are no INVITE. */
  add(
    request: Pick<SipRequest, 'method' | 'headers' | 'uri'>,
    source: InviteSource,
    reason: InviteRefusalReason,
  ): void {
    if (request.method !== 'INVITE') return;
    if (this.#limiter.tryTake(source.address, this.#clock.nowUs())) {
      this.#report(inviteRefusal(request, source, reason));
    } else this.counters.refusalsUnreported += 1;
  }
}
