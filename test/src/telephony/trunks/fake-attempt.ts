import type { OutboundAttempt, OutboundOutcome } from '../../../../sip/signalling/signalling.ts';

/** An attempt whose outcome the test sets. */
export class FakeAttempt implements OutboundAttempt {
  readonly sipCallId: string;
  readonly #outcome = Promise.withResolvers<OutboundOutcome>();
  readonly outcome = this.#outcome.promise;
  cancelled = false;
  ring: () => void = () => {};

  constructor(sipCallId: string) {
    this.sipCallId = sipCallId;
  }
  onRinging(listener: () => void): void {
    this.ring = listener;
  }
  cancel(): void {
    this.cancelled = true;
    this.end({ type: 'cancelled' });
  }
  end(outcome: OutboundOutcome): void {
    this.#outcome.resolve(outcome);
  }
}
