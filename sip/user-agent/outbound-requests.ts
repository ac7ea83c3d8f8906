import { dialogId } from '../dialog/dialog-state.ts';
import {
  type ApplicationMessage,
  type CommandResult,
  type SipApplication,
  UNKNOWN_DIALOG,
} from '../dialog/sip-application.ts';
import { canonicalName, getHeader } from '../message/headers.ts';
import { tagOf } from '../message/name-address.ts';
import type { SipHeader, SipRequest } from '../message/sip-message.ts';
import { targetOf } from '../transport/resolve-target.ts';
import type { Hop, Hops } from '../transport/transport-address.ts';
import { composeNewRequest } from './compose-request.ts';
import type { InDialogRequests } from './in-dialog-requests.ts';
import { OutboundInvite } from './outbound-invite.ts';
import { OutboundNonInvite } from './outbound-non-invite.ts';
import type { EarlyState } from './request-checks.ts';
import { hopsToTarget } from './resolve-hops.ts';
import type { UserAgentCore } from './user-agent-core.ts';

type ApplicationRequest = Extract<ApplicationMessage, { kind: 'request' }>;

/** Headers that the application may add to a CANCEL. */
const CANCEL_HEADERS = ['reason', 'user-agent'];

/** The client side (UAC) of the application's requests. */
export class OutboundRequests {
  readonly #core: UserAgentCore;
  readonly #inDialog: InDialogRequests;
  /** INVITEs without a final response, by the transaction's id. */
  readonly #invites = new Map<string, OutboundInvite>();

  constructor(core: UserAgentCore, inDialog: InDialogRequests) {
    this.#core = core;
    this.#inDialog = inDialog;
  }

  /** Sends a new request. Resolves once it was sent. */
  async send(
    application: SipApplication,
    applicationRequest: ApplicationRequest,
    route: string,
  ): Promise<CommandResult> {
    if (applicationRequest.method === 'ACK' || applicationRequest.method === 'CANCEL') return UNKNOWN_DIALOG;
    const destination = destinationOf(applicationRequest, route);
    const target = targetOf(destination);
    if (target === null) return { ok: false, reason: 'an unsupported destination' };
    if (applicationRequest.method === 'INVITE' && this.#core.dialogs.isFull)
      return { ok: false, reason: 'too many dialogs' };
    const hops = await hopsToTarget(this.#core.resolver, target, applicationRequest.body);
    if (hops === 'unknown') return { ok: false, reason: `cannot resolve the host ${target.host}` };
    if (hops === 'refused') return { ok: false, reason: `no request may go to the host ${target.host}` };
    const request = composeNewRequest(this.#core, applicationRequest, hops[0]);
    if (typeof request === 'string') return { ok: false, reason: request };
    return applicationRequest.method === 'INVITE'
      ? this.#invite(application, request, hops)
      : this.#nonInvite(application, request, hops);
  }

  cancel(application: SipApplication, transactionId: string, applicationRequest: ApplicationRequest): CommandResult {
    const invite = this.#invites.get(transactionId);
    if (invite === undefined || invite.application !== application) {
      return { ok: false, reason: 'unable to find an INVITE to cancel' };
    }
    const extra: SipHeader[] = applicationRequest.headers.filter(({ name }) =>
      CANCEL_HEADERS.includes(canonicalName(name)),
    );
    const message = invite.cancel(extra);
    if (message === null) return { ok: false, reason: 'the INVITE has a final response' };
    return { ok: true, message, hop: invite.hops[0], transactionId, dialogId: '' };
  }

  /** The state of the early dialog that a callee's request belongs to. */
  earlyState(request: SipRequest): EarlyState {
    for (const invite of this.#invites.values()) {
      const early = request.method === 'UPDATE' ? invite.earlyDialog(request) : null;
      if (early === null) continue;
      if (request.body.length === 0) return 'refresh';
      return early.isAnswered ? 'offer_after_answer' : 'offer_before_answer';
    }
    return 'none';
  }

  /** The application has disconnected: cancels its ringing calls, and ends those that are answered anyway. */
  forget(application: SipApplication): void {
    for (const invite of [...this.#invites.values()]) if (invite.application === application) invite.abandon();
  }

  clear(): void {
    for (const invite of this.#invites.values()) invite.stop();
    this.#invites.clear();
  }

  #invite(application: SipApplication, request: SipRequest, hops: readonly [Hop, ...Hop[]]): CommandResult {
    let id: string | null = null;
    const invite = new OutboundInvite({
      core: this.#core,
      application,
      request,
      hops,
      discard: (dialog, invite) => this.#inDialog.discard(dialog, invite),
      confirmed: (dialog, sent, response) => this.#inDialog.sessions.confirmed(dialog, sent, response),
      prack: (dialog, rack) => void this.#inDialog.prack(dialog, rack),
      repeatAck: (dialog) => this.#inDialog.repeatAck(dialog),
      onEnded: () => {
        if (id !== null) this.#invites.delete(id);
      },
    });
    id = invite.start();
    if (id === null) return { ok: false, reason: 'too many transactions' };
    this.#invites.set(id, invite);
    const { headers } = request;
    const from = tagOf(getHeader(headers, 'From') ?? '') ?? '';
    const dialog = dialogId(getHeader(headers, 'Call-ID') ?? '', from);
    return { ok: true, message: request, hop: hops[0], transactionId: id, dialogId: dialog };
  }

  #nonInvite(application: SipApplication, request: SipRequest, hops: Hops): CommandResult {
    let id: string | null = null;
    const sent = new OutboundNonInvite({
      core: this.#core,
      onResponse: (response, origin) => application.response(response, origin, id ?? '', ''),
    });
    id = sent.start(request, hops);
    if (id === null) return { ok: false, reason: 'too many transactions' };
    return { ok: true, message: request, hop: hops[0], transactionId: id, dialogId: '' };
  }
}

/** The destination URI. drachtio's route is a whole URI or `address[:port]`, and replaces the Request-URI. */
function destinationOf(applicationRequest: ApplicationRequest, route: string): string {
  if (route === '') return applicationRequest.uri;
  const bare = route.replace(/^<|>$/g, '');
  return /^sips?:/i.test(bare) ? bare : `sip:${bare}`;
}
