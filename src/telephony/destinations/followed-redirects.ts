import type { OutboundAttempt, OutboundOutcome } from '../../../sip/signalling/signalling.ts';
import { maskedRuns } from '../../log/number-mask.ts';
import type { RedirectTarget } from './redirect-target.ts';

/** Redirects of one attempt that are followed; a call that is sent on more often goes in circles. */
const REDIRECTS_MAX = 5;

/** Longer targets of hostile peers are cut. */
const SHOWN_LENGTH_MAX = 100;

export interface RedirectRules {
  /** Begins an attempt at a redirect's target; null: the first attempt. May throw, as `Signalling.invite`. */
  readonly begin: (target: RedirectTarget | null) => OutboundAttempt;
  /** The target of a Contact, or why it may not be followed. */
  readonly targetOf: (contact: string) => RedirectTarget | string;
  /** The callee redirected the call to this destination, followed or not. */
  readonly onRedirected: (destination: string) => void;
}

/**
 * An attempt that follows redirects (RFC 3261 §8.1.3.4) within the destination policy, each target once. Its outcome is `redirected` where
 * no Contact may be followed.
 */
export class FollowedRedirects implements OutboundAttempt {
  readonly outcome: Promise<OutboundOutcome>;
  readonly #rules: RedirectRules;
  #current: OutboundAttempt;
  #cancelled = false;
  #rang = false;
  #onRinging: () => void = () => {};

  /** Begins at once. Throws what the first `begin` throws. */
  constructor(rules: RedirectRules) {
    this.#rules = rules;
    this.#current = this.#begin(null);
    this.outcome = this.#run();
  }

  /** Call-ID of the current attempt. */
  get sipCallId(): string {
    return this.#current.sipCallId;
  }

  onRinging(listener: () => void): void {
    this.#onRinging = listener;
    if (this.#rang) queueMicrotask(listener);
  }

  cancel(): void {
    this.#cancelled = true;
    this.#current.cancel();
  }

  async #run(): Promise<OutboundOutcome> {
    const tried = new Set<string>();
    for (let hops = 0; ; hops++) {
      const outcome = await this.#current.outcome;
      if (outcome.type !== 'redirected') return outcome;
      // The CANCEL crossed the redirect.
      if (this.#cancelled) return { type: 'cancelled' };
      const target = this.#next(outcome.contacts, tried);
      const destination = typeof target === 'string' ? (outcome.contacts[0] ?? '') : target.destination;
      this.#rules.onRedirected(destination);
      const notFollowed = (reason: string): OutboundOutcome => ({ ...outcome, detail: detailOf(destination, reason) });
      if (typeof target === 'string') return notFollowed(target);
      if (hops === REDIRECTS_MAX) return notFollowed(`the call was redirected more than ${REDIRECTS_MAX} times`);
      tried.add(keyOf(target));
      try {
        this.#current = this.#begin(target);
      } catch {
        return notFollowed('no request can be sent to its address');
      }
    }
  }

  /** The first Contact that may be followed, or why the first one of all may not. */
  #next(contacts: readonly string[], tried: ReadonlySet<string>): RedirectTarget | string {
    const targets = contacts.map((contact) => this.#rules.targetOf(contact));
    const isNew = (target: RedirectTarget | string) => typeof target !== 'string' && !tried.has(keyOf(target));
    const refusals = targets.map((target) => (typeof target === 'string' ? target : 'it was called before'));
    return targets.find(isNew) ?? refusals[0] ?? 'it has no Contact';
  }

  #begin(target: RedirectTarget | null): OutboundAttempt {
    const attempt = this.#rules.begin(target);
    attempt.onRinging(() => {
      if (this.#rang) return;
      this.#rang = true;
      this.#onRinging();
    });
    return attempt;
  }
}

/** With masked numbers: unlike the target of its record, it appears in logs and events. */
function detailOf(target: string, reason: string): string {
  return `${maskedRuns(target).slice(0, SHOWN_LENGTH_MAX)} is not dialled: ${reason}`;
}

function keyOf({ to, trunk: { host, port } }: RedirectTarget): string {
  return `${to}@${host}:${port}`;
}
