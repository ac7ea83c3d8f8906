import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../../base/time/clock.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { CallRepository } from '../../storage/calls/call-repository.ts';
import { persist } from '../../storage/database/persist.ts';
import type { AgentCache } from '../agents/agent-cache.ts';
import type { CallRequest, StartedWebCall } from '../api-requests/call-service.ts';
import { startFailureReason } from '../journal/start-failure-reason.ts';
import { storeNewCall } from '../journal/store-new-call.ts';
import type { LiveCalls } from '../live/live-calls.ts';
import type { CountedCapacity } from '../overload/overload-guard.ts';
import type { StagedCalls } from '../staging/staged-calls.ts';
import { PAYLOAD_BYTES_MAX } from './media-socket.ts';
import { isOriginAllowed, readUpgrade, refuseUpgrade } from './upgrade-request.ts';
import { WebCallLeg } from './web-call-leg.ts';
import { hashWebToken, isWebToken, mintWebToken } from './web-token.ts';

const RETRY_AFTER_SECONDS = 10;

export interface WebCallsOptions {
  readonly calls: CallRepository;
  readonly staging: Pick<StagedCalls, 'begin' | 'forget'>;
  readonly cache: AgentCache;
  readonly liveCalls: Pick<LiveCalls, 'launch' | 'openWebMedia' | 'release'>;
  readonly media: CountedCapacity;
  readonly clock: Clock;
  /** Origins, beside that of the service, whose pages may open the media of a call. `*`: all. */
  readonly origins: readonly string[];
  readonly draining: () => boolean;
  /** Events of a call may be due for delivery. */
  readonly onStored: (callId: string) => void;
  readonly onFault: (callId: string, error: unknown) => void;
  readonly onRefused: (sourceAddress: string, reason: string) => void;
}

/** HTTP status and reason of a refused connection. */
interface UpgradeRefusal {
  readonly status: 400 | 401 | 403 | 410 | 503;
  readonly reason: string;
}

/**
 * Calls from web pages. A call is staged with a token and claimed by the connection that presents it. A later connection resumes the
 * call with the resume token of the previous one.
 */
export class WebCalls {
  readonly #options: WebCallsOptions;
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: PAYLOAD_BYTES_MAX,
  });
  readonly #legs = new Map<string, WebCallLeg>();
  readonly #taking = new Set<Promise<void>>();

  constructor(options: WebCallsOptions) {
    this.#options = options;
  }

  /** Stores the call and starts its preparation. */
  async start(request: CallRequest): Promise<StartedWebCall> {
    const { calls, clock, staging } = this.#options;
    const callId = randomUUID();
    const token = mintWebToken();
    const call = {
      id: callId,
      organizationId: request.organizationId,
      agentId: request.agentId,
      agentVersion: request.agentVersion,
      type: 'web_call',
      direction: 'inbound',
      status: 'initiated',
      fromNumber: null,
      toNumber: null,
      dynamicVariables: request.dynamicVariables,
      agentOverrides: request.agentOverrides,
      traceparent: request.traceparent ?? null,
      // The token is not stored: a repeated request needs another call.
      idempotent: null,
      webTokenHash: hashWebToken(token),
      nowMs: clock.wallMs(),
    } as const;
    await storeNewCall({ callId, store: () => calls.createCall(call) }, this.#options);
    return { callId, token, ready: staging.begin(call) };
  }

  /** Handles a connection for the media of a call. Never throws: an error ends this connection only. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Before the upgrade no other error listener exists; later writes handle the error.
    socket.on('error', () => undefined);
    const taking = this.#take(request, socket, head)
      .catch((error: unknown) => {
        this.#options.onFault(readUpgrade(request)?.callId ?? '', error);
        refuseUpgrade(socket, 500);
      })
      .finally(() => this.#taking.delete(taking));
    this.#taking.add(taking);
  }

  /** Connections that are neither refused nor a live call yet. */
  get inProgress(): number {
    return this.#taking.size;
  }

  /** Resolves when every connection so far was refused or is a live call. */
  async settled(): Promise<void> {
    await Promise.all(this.#taking);
  }

  async #take(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const refusal = await this.#begin(request, socket, head);
    if (refusal === null) return;
    this.#options.onRefused(request.socket.remoteAddress ?? '', refusal.reason);
    refuseUpgrade(socket, refusal.status, refusal.status === 503 ? { 'Retry-After': String(RETRY_AFTER_SECONDS) } : {});
  }

  /** All checks come before the claim, because the claim uses up the token. */
  async #begin(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<UpgradeRefusal | null> {
    const { cache, calls, clock, draining, media, origins, staging } = this.#options;
    const wanted = readUpgrade(request);
    if (wanted === null) return { status: 400, reason: 'expected a WebSocket handshake' };
    if (!isOriginAllowed(request.headers, origins))
      return { status: 403, reason: 'the origin is not allowed: add it to WEB_CALL_ORIGINS' };
    const live = this.#legs.get(wanted.callId);
    if (live?.resumesBy(wanted.token)) {
      this.#open(request, socket, head, (connection) => live.attach(connection));
      return null;
    }
    const call = await calls.find(wanted.callId);
    if (call === null || !isWebToken(wanted.token, call.webTokenHash)) {
      return { status: 401, reason: 'the token is unknown' };
    }
    if (call.status !== 'staged') return USED_UP;
    if (draining() || !media.capacity(1).accepted)
      return { status: 503, reason: 'the service accepts no calls at the moment' };
    const agent = await cache.loadOf(call);
    const claim = () => calls.claimStaged(call.id, clock.wallMs());
    const claimed = await storeNewCall({ callId: call.id, store: claim, from: ['ringing'] }, this.#options);
    if (claimed === null) return USED_UP;
    staging.forget(call.id);
    await this.#launch(claimed, agent, (take) => this.#open(request, socket, head, take));
    return null;
  }

  /** @param open passes on the connection at once, unless the browser has disconnected */
  async #launch(
    call: CallRecord,
    agent: Awaited<ReturnType<AgentCache['load']>>,
    open: (take: (connection: WebSocket) => void) => void,
  ): Promise<void> {
    const { calls, clock, liveCalls, onFault, onStored } = this.#options;
    const end = async (status: 'failed' | 'canceled', endReason: 'media_error' | 'internal_error' | 'canceled') => {
      await persist(() => calls.finish(call.id, { status, endReason, atMs: clock.wallMs(), from: ['ringing'] }));
      onStored(call.id);
    };
    const media = await liveCalls.openWebMedia(call.id, agent).catch(async (error: unknown) => {
      await end('failed', startFailureReason(error));
      throw error;
    });
    const leg = new WebCallLeg({ callId: call.id, media, clock });
    let isOpen = false;
    open((connection) => {
      isOpen = true;
      leg.attach(connection);
    });
    if (!isOpen) {
      liveCalls.release(call.id);
      await end('canceled', 'canceled');
      return;
    }
    this.#legs.set(call.id, leg);
    try {
      const observe = leg.observe.bind(leg);
      const { ended } = await liveCalls.launch({
        call,
        agent,
        observe,
        leg: () => leg,
        route: { leg: 'browser', trunk_id: null },
      });
      void ended.then(() => this.#forget(call.id, leg));
    } catch (error) {
      // The connection is a WebSocket by now: an error can only close it.
      onFault(call.id, error);
      liveCalls.release(call.id);
      this.#forget(call.id, leg);
      await end('failed', startFailureReason(error));
    }
  }

  #forget(callId: string, leg: WebCallLeg): void {
    leg.close();
    this.#legs.delete(callId);
  }

  #open(request: IncomingMessage, socket: Duplex, head: Buffer, take: (connection: WebSocket) => void): void {
    this.#server.handleUpgrade(request, socket, head, take);
  }
}

const USED_UP: UpgradeRefusal = { status: 410, reason: 'the token was used or has expired' };
