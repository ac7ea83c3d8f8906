import { randomUUID } from 'node:crypto';
import { type DialogRecovery, recoveryOfAnswer } from '../dialog/dialog-recovery.ts';
import { withTag } from '../dialog/dialog-state.ts';
import { isSafeHeaderName, isSafeHeaderValue } from '../message/custom-headers.ts';
import { getHeader, getListValues } from '../message/headers.ts';
import { parseNameAddress } from '../message/name-address.ts';
import { numberOrName } from '../message/number-or-name.ts';
import type { SipRequest } from '../message/sip-message.ts';
import { SDP_TYPE, sdpOfBody } from '../sdp/sdp-body.ts';
import { isSipTransport } from '../transport/transport-address.ts';
import { acceptInvite, type OnAnswerSent } from './accept-invite.ts';
import { catchErrors } from './catch-errors.ts';
import { observedInbound } from './observed-recovery.ts';
import type { ServerLink } from './server-link.ts';
import { sessionAnswer } from './session-timer-headers.ts';
import type { InboundInvite, ResponseHeaders, SipDialog } from './signalling.ts';
import { SignallingError } from './signalling-error.ts';
import type { SrfRequest, SrfResponse } from './srf-client.ts';

/** The state of an inbound INVITE. In `cancelled`, nothing is sent. */
type InviteState = 'open' | 'answered' | 'cancelled';

const RINGING = 180;

/** A new INVITE, until its final response. Create it in the request handler: a CANCEL may follow at once. */
export class SrfInboundInvite implements InboundInvite {
  readonly sipCallId: string;
  readonly uri: string;
  readonly dialled: string;
  readonly addressee: string;
  readonly caller: string;
  readonly serviceCallId: string | null;
  readonly source: InboundInvite['source'];
  readonly offer: string | null;
  readonly recovery: DialogRecovery | null;
  /** The To header with our tag, for responses that make the dialog. */
  readonly #toHeader: Readonly<Record<string, string>>;
  readonly #message: SipRequest;
  readonly #link: ServerLink;
  readonly #req: SrfRequest;
  readonly #res: SrfResponse;
  #state: InviteState = 'open';
  #answer: string | null = null;
  #onCancelled: (() => void) | null = null;
  readonly #forgetLink: () => void;

  constructor(link: ServerLink, message: SipRequest, req: SrfRequest, res: SrfResponse) {
    this.#message = message;
    this.#link = link;
    this.#req = req;
    this.#res = res;
    this.sipCallId = this.header('Call-ID') ?? '';
    this.uri = message.uri;
    this.dialled = numberOrName(message.uri);
    this.addressee = numberOrName(parseNameAddress(this.header('To') ?? '')?.uri ?? '');
    this.caller = numberOrName(parseNameAddress(this.header('From') ?? '')?.uri ?? '');
    this.serviceCallId = this.header('X-Service-Call-Id') || null;
    this.source = { address: req.source_address, port: req.source_port, transport: req.protocol };
    const body = new TextDecoder().decode(message.body);
    this.offer = body === '' ? null : sdpOfBody(this.header('Content-Type') ?? SDP_TYPE, body);
    const localTag = randomUUID();
    const { address, port, transport } = this.source;
    const recoveryOf = link.server.onDialog === undefined ? observedInbound : recoveryOfAnswer;
    this.recovery = isSipTransport(transport) ? recoveryOf(message, localTag, { address, port, transport }) : null;
    this.#toHeader = { To: withTag(this.header('To') ?? '', localTag) };
    req.on('cancel', () => this.#cancel());
    this.#forgetLink = link.onLost(() => this.#cancel());
  }

  header(name: string): string | null {
    return getHeader(this.#message.headers, name);
  }

  ring(): void {
    if (this.#state !== 'open') return;
    // RFC 3262 §3: a reliable 180 or none. The embedded server makes it reliable. drachtio-server 0.9.10 exits if the 200
    // follows a reliable 180 before its PRACK, so it sends none.
    const isReliable = getListValues(this.#message.headers, 'Require').includes('100rel');
    if (isReliable && this.#link.server.onDialog === undefined) return;
    this.#res.send(RINGING, undefined, { headers: { ...this.#toHeader } });
  }

  refuse(status: number, reason?: string, headers: ResponseHeaders = {}): void {
    if (this.#state !== 'open') return;
    const lines = Object.entries(headers).map(([name, value]) => [name, [value].flat()] as const);
    const unsafe = lines.find(([name, values]) => !isSafeHeaderName(name) || !values.every(isSafeHeaderValue));
    if (unsafe !== undefined || !isSafeHeaderValue(reason ?? '')) {
      throw new SignallingError('invalid_header', `a refusal with an unsafe ${unsafe?.[0] ?? 'reason'}`);
    }
    // The library joins the values of one name, but splits a value at its line breaks.
    const written = lines.map(([name, values]) => [name, values.join(`\r\n${name}: `)]);
    this.#res.send(status, reason, { headers: Object.fromEntries(written) });
    this.#finish('answered');
  }

  async accept(sdp: string, onSent: OnAnswerSent = () => undefined): Promise<SipDialog | null> {
    if (this.#state === 'cancelled') return null;
    if (this.#state === 'answered') throw new SignallingError('already_answered', 'a final response has gone');
    this.#state = 'answered';
    try {
      const headers = { ...this.#toHeader, ...sessionAnswer(this.#message) };
      const content = { sdp, headers, recovery: this.recovery };
      const accepted = await acceptInvite(this.#link, this.#req, this.#res, content, onSent);
      if (accepted === null) this.#notifyCancelled();
      if (this.offer === null) this.#answer = accepted?.ackSdp ?? null;
      return accepted?.dialog ?? null;
    } finally {
      this.#forgetLink();
    }
  }

  get answer(): string | null {
    return this.#answer;
  }

  get cancelled(): boolean {
    return this.#state === 'cancelled';
  }

  onCancelled(listener: () => void): void {
    this.#onCancelled = listener;
    if (this.#state === 'cancelled') queueMicrotask(() => this.#notifyCancelled());
  }

  #cancel(): void {
    if (this.#state !== 'open') return;
    this.#finish('cancelled');
    this.#notifyCancelled();
  }

  #notifyCancelled(): void {
    const listener = this.#onCancelled;
    this.#onCancelled = null;
    if (listener !== null) catchErrors(this.#link.owner.onFault, listener);
  }

  #finish(state: InviteState): void {
    this.#state = state;
    this.#forgetLink?.();
  }
}
