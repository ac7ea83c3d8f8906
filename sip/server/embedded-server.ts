import { randomBytes } from 'node:crypto';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { openFileLimit } from '../../base/limits/open-files.ts';
import type { OwnListener } from '../../base/network/address-policy.ts';
import type { Credentials } from '../authentication/digest-response.ts';
import type { DialogRecovery } from '../dialog/dialog-recovery.ts';
import { Heartbeat } from '../heartbeat/heartbeat.ts';
import type { InviteRefusal } from '../message/invite-refusal.ts';
import { ALL_SOURCES, type AllowedSources } from '../source-filter/source-filter.ts';
import { ANY_NETWORK } from '../transport/target-policy.ts';
import { NO_TLS, type TlsSettings } from '../transport/tls-stream.ts';
import type { TraceEntry } from '../transport/trace-entry.ts';
import type { SipAddress } from '../transport/transport-address.ts';
import { limitsFor, type ServerLimits } from './server-limits.ts';
import type { ServerStatistics } from './server-statistics.ts';
import type { ServerWorkerCommand, ServerWorkerOptions, ServerWorkerReport } from './server-worker-protocol.ts';

export interface EmbeddedServerOptions {
  /** An IPv4 or IPv6 literal. */
  readonly bindAddress: string;
  /** For UDP and TCP; 0 lets the kernel choose. */
  readonly port: number;
  /** The address in Via and Contact, where peers reach us at another address (`SIP_EXTERNAL_ADDRESS`). */
  readonly externalAddress?: string;
  /** Addresses or CIDR ranges of peers that see the bound address instead (`SIP_LOCAL_NETWORKS`). */
  readonly localNetworks?: readonly string[];
  /** Absent: outbound TLS works, inbound TLS does not. */
  readonly tls?: TlsSettings;
  /** Replaces single limits of `limitsFor`. */
  readonly limits?: Partial<ServerLimits>;
  /** Absent: all sources may call. */
  readonly sources?: AllowedSources;
  /** Networks to which requests may go, in addition to the public internet (`SIP_TRUNK_NETWORKS`). Absent: every network. */
  readonly targetNetworks?: readonly string[];
  /** Networks that hide no closed port (see `concealedAddresses`). Absent: none hides one. */
  readonly revealedNetworks?: readonly string[];
}

/** The embedded SIP server, running in its own worker. */
export interface EmbeddedServer {
  /** The address for `drachtio-srf`: `srf.connect({ host, port, secret })`. */
  readonly host: string;
  readonly port: number;
  readonly secret: string;
  /** The addresses of the server for peers. */
  readonly addresses: readonly SipAddress[];
  /**
   * Called for each new dialog, each change of its recovery data, and its end (null). `dialogKey` is drachtio's dialog
   * id.
   */
  onDialog(listener: (dialogKey: string, sipCallId: string, recovery: DialogRecovery | null) => void): void;
  /** The peer challenged a session refresh: repeat the same request with credentials. */
  onRefreshChallenged(listener: (dialogKey: string, method: 'INVITE' | 'UPDATE') => void): void;
  /** A connection that the server opened was lost. The arguments identify its peer. */
  onConnectionLost(listener: (transport: string, address: string, port: number) => void): void;
  /** The server refused an INVITE itself. Called at a limited rate; `refusalsUnreported` counts the others. */
  onInviteRefused(listener: (refusal: InviteRefusal) => void): void;
  /**
   * Sends the BYE that an earlier process or worker could not send. Resolves when it has been answered or abandoned, or the
   * worker exited.
   */
  endOrphan(recovery: DialogRecovery, credentials: Credentials | null): Promise<void>;
  /** The worker exited without `close`; its dialogs are orphaned. Called at most once; at once if it has exited before. */
  onExit(listener: (reason: string) => void): void;
  /** Reports every message on the wire from now on. Without a listener, no message is copied to this thread. */
  onTrace(listener: (entry: TraceEntry) => void): void;
  /** Replaces the sources that may call. */
  setAllowedSources(sources: AllowedSources): void;
  /** Sets the listeners of the service besides this server: no request goes to them. */
  setOtherListeners(listeners: readonly OwnListener[]): void;
  /** Reloads the TLS files. Rejects if that fails (the old ones stay in use) or the worker exited. */
  reloadTls(): Promise<void>;
  /** Rejects if the worker exited. */
  statistics(): Promise<ServerStatistics>;
  /** Closes every socket without a message to peers. Idempotent. */
  close(): Promise<void>;
}

/** A server of several thousand calls needs less than 200 MiB. The limit ends a leaking worker, not the process. */
const WORKER_HEAP_MB_MAX = 1_024;

/** 192 bits cannot be guessed. */
const SECRET_BYTES = 24;

/** Closing sockets takes milliseconds. A worker that still runs after this time is terminated. */
export const CLOSE_TIMEOUT_MS = 3_000;

/** Rejects if the port cannot be bound, or the worker cannot start. */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  const heartbeat = new Heartbeat();
  const workerData: ServerWorkerOptions = {
    bindAddress: options.bindAddress,
    port: options.port,
    externalAddress: options.externalAddress ?? null,
    localNetworks: options.localNetworks ?? [],
    tls: options.tls ?? NO_TLS,
    secret,
    limits: { ...limitsFor(openFileLimit()), ...options.limits },
    sources: options.sources ?? ALL_SOURCES,
    targetNetworks: options.targetNetworks ?? ANY_NETWORK,
    revealedNetworks: options.revealedNetworks ?? null,
    heartbeat: heartbeat.shared,
  };
  // The sources run as `.ts`, a build as `.js`.
  const url = new URL(`./server-worker${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(url, {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB_MAX },
    name: 'sip',
  });
  const handle = new ServerWorkerHandle(worker, secret, heartbeat);
  await handle.started;
  return handle;
}

class ServerWorkerHandle implements EmbeddedServer {
  readonly secret: string;
  readonly started: Promise<void>;
  host = '';
  port = 0;
  addresses: readonly SipAddress[] = [];
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  readonly #dialogListeners = new Set<Parameters<EmbeddedServer['onDialog']>[0]>();
  readonly #challengeListeners = new Set<Parameters<EmbeddedServer['onRefreshChallenged']>[0]>();
  readonly #connectionListeners = new Set<Parameters<EmbeddedServer['onConnectionLost']>[0]>();
  readonly #refusalListeners = new Set<(refusal: InviteRefusal) => void>();
  readonly #exitListeners = new Set<(reason: string) => void>();
  readonly #traceListeners = new Set<(entry: TraceEntry) => void>();
  readonly #orphanRequests = new Map<number, () => void>();
  readonly #statisticsRequests = new Map<number, PromiseWithResolvers<ServerStatistics>>();
  readonly #tlsReloads = new Map<number, PromiseWithResolvers<void>>();
  #lastId = 0;
  #closing = false;
  #exitReason: string | null = null;
  #lastError = '';

  constructor(worker: Worker, secret: string, heartbeat: Heartbeat) {
    this.#worker = worker;
    this.secret = secret;
    const started = Promise.withResolvers<void>();
    const exited = Promise.withResolvers<void>();
    this.started = started.promise;
    this.#exited = exited.promise;
    worker.on('message', (report: ServerWorkerReport) => {
      if (report.type === 'failed') this.#lastError = report.reason;
      this.#receive(report);
      if (report.type === 'started') started.resolve();
    });
    worker.on('error', (error) => {
      this.#lastError = error instanceof Error ? error.message : String(error);
    });
    heartbeat.watch(worker, (reason) => {
      this.#lastError = reason;
    });
    worker.on('exit', (code) => {
      const reason = this.#lastError === '' ? `exit code ${code}` : this.#lastError;
      started.reject(new Error(`the SIP server did not start: ${reason}`));
      exited.resolve();
      this.#onWorkerExit(reason);
    });
  }

  onDialog(listener: Parameters<EmbeddedServer['onDialog']>[0]): void {
    this.#dialogListeners.add(listener);
  }

  onRefreshChallenged(listener: Parameters<EmbeddedServer['onRefreshChallenged']>[0]): void {
    this.#challengeListeners.add(listener);
  }

  onInviteRefused(listener: (refusal: InviteRefusal) => void): void {
    this.#refusalListeners.add(listener);
  }

  onConnectionLost(listener: Parameters<EmbeddedServer['onConnectionLost']>[0]): void {
    this.#connectionListeners.add(listener);
  }

  onExit(listener: (reason: string) => void): void {
    if (this.#exitReason !== null && !this.#closing) listener(this.#exitReason);
    else this.#exitListeners.add(listener);
  }

  onTrace(listener: (entry: TraceEntry) => void): void {
    this.#traceListeners.add(listener);
    this.#post({ type: 'trace', on: true });
  }

  endOrphan(recovery: DialogRecovery, credentials: Credentials | null): Promise<void> {
    if (this.#exitReason !== null) return Promise.resolve();
    const id = this.#nextId();
    return new Promise((resolve) => {
      this.#orphanRequests.set(id, resolve);
      this.#post({ type: 'end_orphan', id, recovery, credentials });
    });
  }

  statistics(): Promise<ServerStatistics> {
    const pending = Promise.withResolvers<ServerStatistics>();
    if (this.#exitReason !== null) pending.reject(new Error('the SIP server has exited'));
    const id = this.#nextId();
    this.#statisticsRequests.set(id, pending);
    this.#post({ type: 'statistics', id });
    return pending.promise;
  }

  setAllowedSources(sources: AllowedSources): void {
    this.#post({ type: 'sources', sources });
  }

  setOtherListeners(listeners: readonly OwnListener[]): void {
    this.#post({ type: 'other_listeners', listeners });
  }

  reloadTls(): Promise<void> {
    const reload = Promise.withResolvers<void>();
    if (this.#exitReason !== null) reload.reject(new Error('the SIP server has exited'));
    const id = this.#nextId();
    this.#tlsReloads.set(id, reload);
    this.#post({ type: 'reload_tls', id });
    return reload.promise;
  }

  async close(): Promise<void> {
    if (!this.#closing) {
      this.#closing = true;
      this.#post({ type: 'close' });
      const limit = setTimeout(() => void this.#worker.terminate(), CLOSE_TIMEOUT_MS);
      void this.#exited.then(() => clearTimeout(limit));
    }
    await this.#exited;
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #post(command: ServerWorkerCommand): void {
    this.#worker.postMessage(command);
  }

  #receive(report: ServerWorkerReport): void {
    switch (report.type) {
      case 'started':
        this.host = report.host;
        this.port = report.port;
        this.addresses = report.addresses;
        break;
      case 'dialog':
        for (const listener of this.#dialogListeners) listener(report.id, report.sipCallId, report.recovery);
        break;
      case 'refresh_challenged':
        for (const listener of this.#challengeListeners) listener(report.id, report.method);
        break;
      case 'connection_lost':
        for (const listener of this.#connectionListeners) listener(report.transport, report.address, report.port);
        break;
      case 'invite_refused':
        for (const listener of this.#refusalListeners) listener(report.refusal);
        break;
      case 'orphan_ended':
        this.#orphanRequests.get(report.id)?.();
        this.#orphanRequests.delete(report.id);
        break;
      case 'statistics':
        this.#statisticsRequests.get(report.id)?.resolve(report.statistics);
        this.#statisticsRequests.delete(report.id);
        break;
      case 'tls_reloaded':
        if (report.error === null) this.#tlsReloads.get(report.id)?.resolve();
        else this.#tlsReloads.get(report.id)?.reject(new Error(report.error));
        this.#tlsReloads.delete(report.id);
        break;
      case 'trace':
        for (const listener of this.#traceListeners) listener(report.entry);
        break;
      case 'failed':
      case 'closed':
        break;
    }
  }

  #onWorkerExit(reason: string): void {
    this.#exitReason = reason;
    for (const resolve of this.#orphanRequests.values()) resolve();
    this.#orphanRequests.clear();
    for (const pending of this.#statisticsRequests.values())
      pending.reject(new Error(`the SIP server has exited: ${reason}`));
    this.#statisticsRequests.clear();
    for (const reload of this.#tlsReloads.values()) reload.reject(new Error(`the SIP server has exited: ${reason}`));
    this.#tlsReloads.clear();
    if (this.#closing) return;
    for (const listener of this.#exitListeners) listener(reason);
  }
}
