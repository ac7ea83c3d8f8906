import type { DigestClient } from '../authentication/digest-client.ts';
import { checkCustomHeaders } from '../message/custom-headers.ts';
import { requestInDialog } from './in-dialog-request.ts';
import type { ServerLink } from './server-link.ts';
import type { DialogEnd, ReferOutcome, ReferRequest } from './signalling.ts';
import { SignallingError } from './signalling-error.ts';
import type { SrfDialog, SrfRequest, SrfResponse } from './srf-client.ts';

/** Bad Event (RFC 6665 §8.3.2): a NOTIFY without a subscription. */
const BAD_EVENT = 489;
/** No such subscription: ends it at a peer that keeps sending NOTIFY (RFC 6665 §4.1.3). */
const NO_SUBSCRIPTION = 481;
/** Statuses of a REFER that the peer did not receive, or whose dialog it lost (RFC 5057 §5.1): the result is unknown. */
const UNKNOWN_RESULT = [408, NO_SUBSCRIPTION];

/** Custom headers for INVITEs that do not apply in a dialog, which has its own. */
const DIALOG_HEADERS = ['from', 'to'];

/**
 * The REFERs (RFC 3515) of one dialog and their subscriptions, one at a time. A subscription ends with its outcome; later
 * NOTIFYs get 481.
 */
export class DialogRefer {
  readonly #link: ServerLink;
  readonly #dialog: SrfDialog;
  readonly #digest: DigestClient;
  /** Ids of ended subscriptions: the CSeq numbers of their REFERs (RFC 3515 §2.4.6). */
  readonly #endedIds = new Set<string>();
  #current: Subscription | null = null;

  constructor(link: ServerLink, dialog: SrfDialog, digest: DigestClient) {
    this.#link = link;
    this.#dialog = dialog;
    this.#digest = digest;
    dialog.on('notify', (req, res) => this.#notified(req, res));
  }

  /** @throws SignallingError `invalid_header`, `invalid_address` */
  send(request: ReferRequest, onOutcome: (outcome: ReferOutcome) => void): void {
    const headers = requestHeaders(request);
    if (this.#current !== null) {
      onOutcome(failed('another transfer is under way'));
      return;
    }
    const subscription = new Subscription(request.deadlineMs, (outcome) => {
      this.#current = null;
      if (subscription.id !== null) this.#endedIds.add(subscription.id);
      onOutcome(outcome);
    });
    this.#current = subscription;
    requestInDialog(this.#link, this.#dialog, this.#digest, { method: 'REFER', headers }).then(
      (result) => {
        if (result === null) {
          subscription.settle(failed('the REFER was not answered'));
          return;
        }
        const id = /^\d+/.exec(result.get('CSeq') ?? '')?.[0] ?? null;
        subscription.answered(result.status, id);
        // A NOTIFY ended the subscription before the response (RFC 6665 §4.1.2.4). Its later NOTIFYs get 481.
        if (id !== null && this.#current !== subscription) this.#endedIds.add(id);
      },
      (error: unknown) => subscription.settle(failed(String(error))),
    );
  }

  /** Settles the pending REFER at the end of the dialog. */
  end(cause: DialogEnd): void {
    this.#current?.dialogEnded(cause);
  }

  #notified(req: SrfRequest, res: SrfResponse): void {
    const event = /^\s*refer\s*(?:;(.*))?$/i.exec(req.get('Event') ?? '');
    if (event === null) {
      res.send(BAD_EVENT, undefined, { headers: { 'Allow-Events': 'refer' } });
      return;
    }
    const id = /(?:^|;)\s*id\s*=\s*(\d+)/i.exec(event[1] ?? '')?.[1] ?? null;
    const subscription = this.#current;
    if (subscription === null || !subscription.hasId(id) || (id !== null && this.#endedIds.has(id))) {
      res.send(NO_SUBSCRIPTION, undefined, {});
      return;
    }
    res.send(200, undefined, {});
    subscription.notified(req.body, /^\s*terminated\b/i.test(req.get('Subscription-State') ?? ''));
  }
}

/** The outcome of one REFER: settled once, at its deadline at the latest. */
class Subscription {
  /** CSeq number of the REFER; null before its response. */
  id: string | null = null;
  #settled = false;
  readonly #onOutcome: (outcome: ReferOutcome) => void;
  readonly #deadline: NodeJS.Timeout;
  /** The peer accepted the REFER and will not report its result (RFC 3515 §2.4.5). */
  #endedWithoutResult = false;

  constructor(deadlineMs: number, onOutcome: (outcome: ReferOutcome) => void) {
    this.#onOutcome = onOutcome;
    this.#deadline = setTimeout(() => this.settle(failed('no result arrived in time')), deadlineMs);
  }

  hasId(id: string | null): boolean {
    return id === null || this.id === null || id === this.id;
  }

  answered(status: number, id: string | null): void {
    this.id = id;
    if (status < 200 || status >= 300) {
      const reason = `the REFER was answered ${status}`;
      this.settle(UNKNOWN_RESULT.includes(status) ? failed(reason, status) : { type: 'refused', status });
    }
  }

  /** Reads the status line of a fragment (RFC 3420). A final status is the outcome. */
  notified(fragment: string, terminated: boolean): void {
    const status = Number(/^\s*SIP\/2\.0 +(\d{3})\b/i.exec(fragment)?.[1] ?? 0);
    if (status >= 200 && status < 300) this.settle({ type: 'succeeded' });
    else if (status >= 300) this.settle(failed(`the destination answered ${status}`, status));
    else if (terminated) this.#endedWithoutResult = true;
  }

  /** A BYE of a peer that reports no result counts as success. */
  dialogEnded(cause: DialogEnd): void {
    if (cause === 'timeout') {
      // The response with which the server ended the dialog (408, 481) may be pending in a promise. It is more
      // precise.
      setImmediate(() => this.settle(failed('the call ended')));
    } else
      this.settle(
        this.#endedWithoutResult && cause === 'remote_bye' ? { type: 'succeeded' } : failed('the call ended'),
      );
  }

  settle(outcome: ReferOutcome): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#deadline);
    this.#onOutcome(outcome);
  }
}

function failed(reason: string, status: number | null = null): ReferOutcome {
  return { type: 'failed', status, reason };
}

function requestHeaders({ to, headers }: ReferRequest): Record<string, string> {
  const check = checkCustomHeaders(headers);
  if (!check.ok) {
    const faults = check.faults.map(({ field, message }) => `${field ?? 'headers:'} ${message}`);
    throw new SignallingError('invalid_header', faults.join('; '));
  }
  // No character may end the angle brackets or the line.
  if (!/^(?:tel|sips?):[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/i.test(to)) {
    throw new SignallingError('invalid_address', 'no valid address to refer to');
  }
  const custom = Object.entries(headers).filter(([name]) => !DIALOG_HEADERS.includes(name.toLowerCase()));
  return { ...Object.fromEntries(custom), 'Refer-To': `<${to}>` };
}
