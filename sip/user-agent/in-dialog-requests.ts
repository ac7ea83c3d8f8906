import { createDigestClient } from '../authentication/create-digest-client.ts';
import type { Credentials } from '../authentication/digest-response.ts';
import { cseqNumberOf, type DialogState, makeRequest, refreshTarget } from '../dialog/dialog-state.ts';
import type { LiveDialog } from '../dialog/dialog-table.ts';
import { ackTo } from '../dialog/sent-ack.ts';
import {
  type ApplicationMessage,
  type CommandResult,
  type SipApplication,
  UNKNOWN_DIALOG,
} from '../dialog/sip-application.ts';
import { addMissing, prependHeader } from '../message/headers.ts';
import { formatReason } from '../message/reason.ts';
import type { SipHeader, SipRequest, SipResponse } from '../message/sip-message.ts';
import { type Refresh, SessionRefresher } from '../session-timer/session-refresher.ts';
import type { Hops, Origin } from '../transport/transport-address.ts';
import { extraHeaders } from './compose-request.ts';
import { localFinalResponse, localOrigin } from './local-final-response.ts';
import { hopsInDialog } from './resolve-hops.ts';
import type { UserAgentCore } from './user-agent-core.ts';

type ApplicationRequest = Extract<ApplicationMessage, { kind: 'request' }>;

/** An application with credentials repeats a challenged BYE within milliseconds. */
const REPEATED_BYE_TIMEOUT_MS = 5_000;

type RequestContent = Pick<ApplicationRequest, 'method' | 'headers' | 'body'>;
type Deliver = (response: SipResponse, origin: Origin, transactionId: string) => void;

const NO_BODY = new Uint8Array(0);

/** Our requests inside dialogs, of the application or of the server itself. */
export class InDialogRequests {
  readonly sessions: SessionRefresher<LiveDialog>;
  readonly #core: UserAgentCore;

  constructor(core: UserAgentCore) {
    this.#core = core;
    this.sessions = new SessionRefresher<LiveDialog>({
      clock: core.clock,
      random: () => core.random(),
      isLive: (dialog) => core.dialogs.isLive(dialog),
      refreshChallenged: (id, method) => core.refreshChallenged(id, method),
      send: (dialog, refresh, onFinal) => this.#sendServerRequest(dialog, refresh, onFinal),
      end: (dialog, reason) => this.endByServer(dialog, reason),
    });
  }

  /** Resolves once the request was sent. A BYE waits for the peer's ACK first. */
  async send(application: SipApplication, id: string, applicationRequest: ApplicationRequest): Promise<CommandResult> {
    const dialog = this.#core.dialogs.byId(id);
    if (dialog === null || dialog.application !== application) return UNKNOWN_DIALOG;
    if (applicationRequest.method === 'ACK') return this.#acknowledge(dialog, applicationRequest);
    if (applicationRequest.method === 'CANCEL') return { ok: false, reason: 'a CANCEL names its INVITE' };
    if (applicationRequest.method === 'INVITE' && (dialog.localInvitePending || dialog.remoteInvitePending)) {
      return { ok: false, reason: 'an INVITE of this dialog has no final response yet' };
    }
    const extra = extraHeaders(this.#core, applicationRequest, dialog.state.source);
    if (typeof extra === 'string') return { ok: false, reason: extra };
    if (applicationRequest.method === 'BYE') await this.#awaitAcks(dialog);
    const isSession = applicationRequest.method === 'INVITE' || applicationRequest.method === 'UPDATE';
    const headers = isSession ? addMissing(extra, this.sessions.headersFor(dialog)) : extra;
    return this.#request(
      dialog,
      { method: applicationRequest.method, headers, body: applicationRequest.body },
      (response, origin, id) => {
        dialog.application.response(response, origin, id, dialog.id);
      },
    );
  }

  /** Repeats the application's ACK. */
  repeatAck(dialog: LiveDialog): void {
    const ack = dialog.sentAck?.ack;
    if (ack !== null && ack !== undefined) this.#core.send(ack.hops, ack.request);
  }

  /** Sends ACK and BYE for a dialog that the application never sees. */
  discard(state: DialogState, invite: SipRequest): void {
    void this.#discard(state, invite);
  }

  /** Ends a dialog on behalf of the server and notifies the application. */
  endByServer(dialog: LiveDialog, reason: string): void {
    if (!this.#core.dialogs.isLive(dialog)) return;
    const header = { name: 'Reason', value: formatReason(200, reason) };
    const { state } = dialog;
    const bye = makeRequest(state, 'BYE', state.localCseq + 1, [header], NO_BODY);
    this.#core.dialogs.remove(dialog);
    dialog.application.ended(bye, state.source, dialog.id);
    void this.endOrphan(state, [header]);
  }

  /** Sends the PRACK of a reliable provisional response (RFC 3262 §4). `state`: its early dialog, with our new CSeq. */
  async prack(state: DialogState, rack: string): Promise<void> {
    const hops = await hopsInDialog(this.#core, state);
    if (hops === null) return;
    const prack = makeRequest(state, 'PRACK', state.localCseq, [{ name: 'RAck', value: rack }], NO_BODY);
    // The response has no effect. The final response to the INVITE decides.
    const nothing = { onResponse: () => undefined, onFailed: () => undefined };
    this.#core.transactions.createClient(this.#withVia(prack, hops), hops, nothing);
  }

  /**
   * Sends a BYE for a dialog outside the table, and repeats it for each challenge that the credentials answer. Resolves when it has been
   * answered or abandoned, never rejects.
   */
  async endOrphan(
    state: DialogState,
    extra: readonly SipHeader[] = [],
    credentials: Credentials | null = null,
  ): Promise<void> {
    const hops = await hopsInDialog(this.#core, state);
    if (hops === null) return;
    const exchange = createDigestClient(credentials).exchange();
    let authorization: readonly SipHeader[] = [];
    for (let cseq = state.localCseq + 1; ; cseq++) {
      const headers = [...extra, ...authorization];
      const bye = this.#withVia(makeRequest(state, 'BYE', cseq, headers, NO_BODY), hops);
      const final = await this.#finalResponse(bye, hops);
      const outcome = final && exchange.challenged(final.status, final.headers, bye);
      if (outcome?.type !== 'retry') return;
      authorization = Object.entries(outcome.headers).map(([name, value]) => ({ name, value }));
    }
  }

  /** Null without a final response. Never rejects. */
  #finalResponse(request: SipRequest, hops: Hops): Promise<SipResponse | null> {
    return new Promise((resolve) => {
      const onResponse = (response: SipResponse) => {
        if (response.status >= 200) resolve(response);
      };
      const handlers = { onResponse, onFailed: () => resolve(null) };
      if (this.#core.transactions.createClient(request, hops, handlers) === null) resolve(null);
    });
  }

  /** Waits for both ACKs, ours and the peer's, before a BYE (RFC 3261 §15). */
  async #awaitAcks(dialog: LiveDialog): Promise<void> {
    if (dialog.sentAck !== null && dialog.sentAck.ack === null) {
      await this.#acknowledge(dialog, null);
    }
    if (dialog.answerRetransmission === null) return;
    await new Promise<void>((resolve) => {
      const previous = dialog.deferredBye;
      dialog.deferredBye = () => {
        previous?.();
        resolve();
      };
    });
  }

  /** Sends a session refresh that the application does not see. False if it may not be sent now. */
  #sendServerRequest(dialog: LiveDialog, refresh: Refresh, onFinal: (response: SipResponse) => void): boolean {
    const { method } = refresh;
    const pending = dialog.localInvitePending || dialog.remoteInvitePending || dialog.answerRetransmission !== null;
    if (pending || (method === 'INVITE' && dialog.localSdp.length === 0)) return false;
    const extra = extraHeaders(this.#core, { kind: 'request', uri: '', ...refresh }, dialog.state.source);
    if (typeof extra === 'string') return false;
    const headers = extra;
    void this.#request(dialog, { ...refresh, headers }, (response) => {
      if (response.status < 200) return;
      if (method === 'INVITE' && response.status < 300) void this.#acknowledge(dialog, null);
      onFinal(response);
    });
    return true;
  }

  async #request(dialog: LiveDialog, content: RequestContent, deliver: Deliver): Promise<CommandResult> {
    const { method, headers, body } = content;
    if (!this.#core.dialogs.isLive(dialog)) return UNKNOWN_DIALOG;
    const cseq = dialog.state.localCseq + 1;
    this.#core.dialogs.update(dialog, { ...dialog.state, localCseq: cseq });
    if (method === 'INVITE') dialog.localInvitePending = true;
    const notPending = () => {
      if (method === 'INVITE') dialog.localInvitePending = false;
    };
    const hops = await hopsInDialog(this.#core, dialog.state);
    if (hops === null || !this.#core.dialogs.isLive(dialog)) {
      notPending();
      // The peer is unreachable; for the application the dialog has ended.
      if (method === 'BYE') this.#core.dialogs.remove(dialog);
      return hops === null ? { ok: false, reason: 'unable to resolve the remote target' } : UNKNOWN_DIALOG;
    }
    const request = this.#withVia(makeRequest(dialog.state, method, cseq, headers, body), hops);
    const [hop] = hops;
    const transaction = this.#core.transactions.createClient(request, hops, {
      onResponse: (response, origin) => {
        if (response.status === 100 || this.#isRepeated(dialog, request, response)) return;
        this.#responded(dialog, request, response);
        deliver(response, origin, transaction?.id ?? '');
        this.#applyFinalStatus(dialog, request, response.status);
      },
      onFailed: (cause, detail) => {
        notPending();
        const response = localFinalResponse(request, cause, detail);
        deliver(response, localOrigin(dialog.state.source), transaction?.id ?? '');
        this.#applyFinalStatus(dialog, request, response.status);
      },
    });
    if (transaction === null) {
      notPending();
      return { ok: false, reason: 'too many transactions' };
    }
    return { ok: true, message: request, hop, transactionId: transaction.id, dialogId: dialog.id };
  }

  /** Answers a repeated 2xx to a re-INVITE with its ACK. The application does not see it. */
  #isRepeated(dialog: LiveDialog, request: SipRequest, { status }: SipResponse): boolean {
    const accepted = request.method === 'INVITE' && status >= 200 && status < 300;
    if (!accepted || dialog.sentAck?.cseq !== cseqNumberOf(request)) return false;
    this.repeatAck(dialog);
    return true;
  }

  #responded(dialog: LiveDialog, request: SipRequest, response: SipResponse): void {
    const { method } = request;
    const { status } = response;
    if (status < 200) return;
    if (method === 'INVITE') dialog.localInvitePending = false;
    if (status >= 300) return;
    if (method === 'INVITE') dialog.sentAck = ackTo(request, false);
    if (method === 'INVITE' || method === 'UPDATE') {
      this.#core.dialogs.update(dialog, refreshTarget(dialog.state, response.headers));
      this.sessions.confirmed(dialog, request, response);
    }
  }

  /** Applies a final response to the dialog (RFC 3261 §12.2.1.2, §15). */
  #applyFinalStatus(dialog: LiveDialog, { method }: SipRequest, status: number): void {
    if (status < 200 || !this.#core.dialogs.isLive(dialog)) return;
    if (method === 'BYE' && (status === 401 || status === 407)) this.#awaitCredentials(dialog);
    else if (method === 'BYE') this.#core.dialogs.remove(dialog);
    else if (status === 481 || status === 408) this.endByServer(dialog, `${method} answered ${status}`);
  }

  /** Keeps the dialog of a challenged BYE, so that the application can repeat it with credentials. */
  #awaitCredentials(dialog: LiveDialog): void {
    dialog.cancelRemoval ??= this.#core.clock.after(REPEATED_BYE_TIMEOUT_MS, () => this.#core.dialogs.remove(dialog));
  }

  /** Sends the ACK. @param applicationAck null for an ACK of the server itself, before a BYE. */
  async #acknowledge(dialog: LiveDialog, applicationAck: ApplicationRequest | null): Promise<CommandResult> {
    const pending = dialog.sentAck;
    if (pending === null || pending.ack !== null) return { ok: false, reason: 'nothing to acknowledge' };
    const { state } = dialog;
    const extra = applicationAck === null ? [] : extraHeaders(this.#core, applicationAck, state.source);
    if (typeof extra === 'string') return { ok: false, reason: extra };
    const hops = await hopsInDialog(this.#core, state);
    if (hops === null) return { ok: false, reason: 'unable to resolve the remote target' };
    const { cseq, credentials } = pending;
    const headers = addMissing(extra, credentials);
    const request = this.#withVia(makeRequest(state, 'ACK', cseq, headers, applicationAck?.body ?? NO_BODY), hops);
    pending.ack = { request, hops };
    if (request.body.length > 0) dialog.localSdp = request.body;
    this.#core.send(hops, request);
    if (pending.endsAtOnce) this.endByServer(dialog, 'no Contact in the 2xx');
    return { ok: true, message: request, hop: hops[0], transactionId: '', dialogId: dialog.id };
  }

  async #discard(state: DialogState, invite: SipRequest): Promise<void> {
    const hops = await hopsInDialog(this.#core, state);
    if (hops === null) return;
    const { cseq, credentials } = ackTo(invite, true);
    this.#core.send(hops, this.#withVia(makeRequest(state, 'ACK', cseq, credentials, NO_BODY), hops));
    await this.endOrphan(state);
  }

  #withVia(request: SipRequest, hops: Hops): SipRequest {
    const via = this.#core.identity.via(hops[0], this.#core.newId());
    return { ...request, headers: prependHeader(request.headers, 'Via', via) };
  }
}
