import type { Credentials } from '../authentication/digest-response.ts';
import type { DialogRecovery } from '../dialog/dialog-recovery.ts';
import { ALLOW } from '../message/capabilities.ts';
import { type InviteRefusal, type InviteRefusalReason, inviteRefusal } from '../message/invite-refusal.ts';
import { parseMessage } from '../message/parse-message.ts';
import type { SipRequest } from '../message/sip-message.ts';
import type { SipAddress } from '../transport/transport-address.ts';
import { ACCEPTED_BODIES, BAD_REQUEST, type EarlyRefusal, earlyRefusalOf } from './early-refusal.ts';
import { SrfInboundInvite } from './inbound-invite.ts';
import { sendPing } from './options-ping.ts';
import { sendOrphanBye } from './orphan-bye.ts';
import { placeInvite } from './place-invite.ts';
import { sendRegister } from './register.ts';
import { connectServer, type DrachtioServer, type LinkOwner, type ServerLink } from './server-link.ts';
import type {
  InboundInvite,
  InviteRequest,
  OutboundAttempt,
  PingOutcome,
  RegisterOutcome,
  RegisterRequest,
  Signalling,
  TrunkAddress,
} from './signalling.ts';
import type { SrfRequest, SrfResponse } from './srf-client.ts';

export interface SignallingOptions {
  /** The server to connect to; called for each connection, as a restarted server may differ. */
  readonly server: () => DrachtioServer | Promise<DrachtioServer>;
  /** Receives errors for the log. An error affects at most one frame, request or connection. Never throws. */
  readonly onFault: (error: unknown) => void;
  /** The credentials of a trunk now, for the BYE of an orphaned dialog; null: it has none, or was deleted. Absent: no trunk has any. */
  readonly credentialsOf?: (trunkId: string) => Promise<Credentials | null>;
  /** Receives each INVITE that is refused before the handler. Absent: they are not reported. */
  readonly onInviteRefused?: (refusal: InviteRefusal) => void;
}

/** The waits between attempts to connect: doubled from the first to the last. Attempts continue until `close`. */
const RECONNECT_FIRST_MS = 50;
const RECONNECT_LAST_MS = 5_000;
/** `Retry-After` of OPTIONS and INVITEs before their handlers are set: the service starts, within a few seconds. */
const STARTING_RETRY_SECONDS = 5;
/** How long the BYE of an orphaned dialog waits for a server. Then it is abandoned. */
const ORPHAN_WAIT_MS = 30_000;
/** How many servers may exit during one orphaned dialog's BYE before it is abandoned. */
const ORPHAN_SERVERS_MAX = 3;

/** Connects to the server. Rejects if the first connection fails; later ones are retried until `close`. */
export async function createSignalling(options: SignallingOptions): Promise<Signalling> {
  const signalling = new SrfSignalling(options);
  await signalling.connect();
  return signalling;
}

type RefusedMessage = Pick<SipRequest, 'headers' | 'uri'>;

const NO_REQUEST: RefusedMessage = { headers: [], uri: '' };

class SrfSignalling implements Signalling, LinkOwner {
  readonly #options: SignallingOptions;
  #link: ServerLink | null = null;
  #onInvite: ((invite: InboundInvite) => void) | null = null;
  #retryAfterSeconds: () => number | null = () => STARTING_RETRY_SECONDS;
  #onConnectionLost: (connection: string | null) => void = () => {};
  #closed = false;
  #retryTimer: NodeJS.Timeout | null = null;
  /** Callbacks for the next connection; null: closed. */
  readonly #waiting = new Set<(link: ServerLink | null) => void>();

  constructor(options: SignallingOptions) {
    this.#options = options;
  }

  async connect(): Promise<void> {
    const link = await connectServer(await this.#options.server(), this);
    if (this.#closed) return link.close();
    this.#link = link;
    for (const waiting of [...this.#waiting]) waiting(link);
    link.onLost(() => {
      this.#link = null;
      // The server has most likely exited, and its connections with it.
      this.connectionLost(null);
      this.#reconnect(RECONNECT_FIRST_MS);
    });
  }

  get addresses(): readonly SipAddress[] {
    return this.#link?.addresses ?? [];
  }

  onInvite(handler: (invite: InboundInvite) => void): void {
    this.#onInvite = handler;
  }

  onOptions(retryAfterSeconds: () => number | null): void {
    this.#retryAfterSeconds = retryAfterSeconds;
  }

  invite(request: InviteRequest): OutboundAttempt {
    return placeInvite(this.#link, request);
  }

  register(request: RegisterRequest): Promise<RegisterOutcome> {
    return sendRegister(this.#link, request);
  }

  onConnectionLost(listener: (connection: string | null) => void): void {
    this.#onConnectionLost = listener;
  }

  ping(trunk: TrunkAddress): Promise<PingOutcome> {
    return sendPing(this.#link, trunk);
  }

  async endOrphan(recovery: DialogRecovery): Promise<void> {
    for (let attempt = 0; attempt < ORPHAN_SERVERS_MAX; attempt++) {
      const link = this.#link?.alive ? this.#link : await this.#nextLink();
      if (link === null) return;
      await this.#endOrphanOver(link, recovery).catch(this.onFault);
      if (link.alive) return;
    }
  }

  async #endOrphanOver(link: ServerLink, recovery: DialogRecovery): Promise<void> {
    const { credentialsOf } = this.#options;
    const { trunkId } = recovery;
    const found = trunkId === undefined ? undefined : await credentialsOf?.(trunkId).catch(this.onFault);
    const credentials = found ?? null;
    // The embedded server sends the BYE itself.
    if (link.server.endOrphan !== undefined) await link.server.endOrphan(recovery, credentials);
    else await sendOrphanBye(link, recovery, credentials);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#onInvite = null;
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer);
    for (const waiting of [...this.#waiting]) waiting(null);
    this.#link?.close();
  }

  #reconnect(delayMs: number): void {
    if (this.#closed) return;
    this.#retryTimer = setTimeout(() => {
      this.connect().catch((error: unknown) => {
        this.#options.onFault(error);
        this.#reconnect(Math.min(delayMs * 2, RECONNECT_LAST_MS));
      });
    }, delayMs);
  }

  #nextLink(): Promise<ServerLink | null> {
    if (this.#closed) return Promise.resolve(null);
    return new Promise((resolve) => {
      const timeout = setTimeout(() => finish(null), ORPHAN_WAIT_MS);
      const finish = (link: ServerLink | null): void => {
        clearTimeout(timeout);
        this.#waiting.delete(finish);
        resolve(link);
      };
      this.#waiting.add(finish);
    });
  }

  /** An arrow function, since it is passed as a callback. */
  readonly onFault = (error: unknown): void => this.#options.onFault(error);

  connectionLost(connection: string | null): void {
    if (!this.#closed) this.#onConnectionLost(connection);
  }

  install(link: ServerLink): void {
    link.srf.invite((req, res) => this.#receive(link, req, res));
    link.srf.options((_req, res) => this.#answerOptions(res));
  }

  #answerOptions(res: SrfResponse): void {
    const retryAfterSeconds = this.#retryAfterSeconds();
    const capabilities = { Allow: ALLOW, Accept: ACCEPTED_BODIES };
    if (retryAfterSeconds === null) res.send(200, undefined, { headers: capabilities });
    else res.send(503, undefined, { headers: { ...capabilities, 'Retry-After': String(retryAfterSeconds) } });
  }

  #receive(link: ServerLink, req: SrfRequest, res: SrfResponse): void {
    const parsed = parseMessage(new TextEncoder().encode(req.raw));
    if (!parsed.ok || parsed.message.kind !== 'request') {
      this.#refuse(NO_REQUEST, req, res, BAD_REQUEST);
      return;
    }
    const { message } = parsed;
    const refusal = earlyRefusalOf(message);
    if (refusal !== null) {
      this.#refuse(message, req, res, refusal);
      return;
    }
    const invite = new SrfInboundInvite(link, message, req, res);
    try {
      if (this.#onInvite === null) {
        invite.refuse(503, undefined, { 'Retry-After': String(STARTING_RETRY_SECONDS) });
        this.#report(message, req, { cause: 'unavailable', status: 503, detail: 'no handler takes INVITEs' });
      } else this.#onInvite(invite);
    } catch (error) {
      this.#options.onFault(error);
      invite.refuse(500);
      this.#report(message, req, { cause: 'internal_error', status: 500, detail: 'the INVITE handler failed' });
    }
  }

  #refuse(message: RefusedMessage, req: SrfRequest, res: SrfResponse, refusal: EarlyRefusal): void {
    const { detail, headers, status } = refusal;
    res.send(status, undefined, { headers: { ...headers } });
    this.#report(message, req, { cause: 'invalid_request', status, detail });
  }

  #report(message: RefusedMessage, req: SrfRequest, reason: InviteRefusalReason): void {
    const source = { address: req.source_address, port: req.source_port, transport: req.protocol };
    this.#options.onInviteRefused?.(inviteRefusal(message, source, reason));
  }
}
