import type { Socket } from 'node:net';
import type { Credentials } from '../authentication/digest-response.ts';
import type { DialogRecovery } from '../dialog/dialog-recovery.ts';
import type { IsConcealed } from '../transport/concealed-addresses.ts';
import type { Hop, SipAddress } from '../transport/transport-address.ts';
import type { TrunkAddress } from './signalling.ts';
import { guardFrames, makeSrfClient, type SrfClient } from './srf-client.ts';

export type RefreshMethod = 'INVITE' | 'UPDATE';

/** A drachtio server: the embedded one, with the optional functions, or a drachtio-server. */
export interface DrachtioServer {
  readonly host: string;
  readonly port: number;
  readonly secret: string;
  /** Called with the recovery data of each new or changed dialog, and with null at its end. */
  onDialog?(listener: (dialogId: string, sipCallId: string, recovery: DialogRecovery | null) => void): void;
  /** Called when the peer challenged a session refresh, which is to be repeated with credentials. */
  onRefreshChallenged?(listener: (dialogId: string, method: RefreshMethod) => void): void;
  /** Called when a connection that the server opened was lost. The arguments identify its peer. */
  onConnectionLost?(listener: (transport: string, address: string, port: number) => void): void;
  endOrphan?(recovery: DialogRecovery, credentials: Credentials | null): Promise<void>;
  /**
   * For a server that checks no target: the addresses of a trunk that requests may go to, in the order of the attempts, or why there
   * is none. Never rejects.
   */
  resolve?(trunk: TrunkAddress): Promise<readonly Hop[] | string>;
  /** For such a server: whether we hide why an address could not be reached. */
  readonly isConcealed?: IsConcealed;
}

/** One connection to a server, from its authentication to its end. Its dialogs end with it. */
export interface ServerLink {
  readonly srf: SrfClient;
  readonly server: DrachtioServer;
  readonly addresses: readonly SipAddress[];
  /** Recovery data of the dialogs on this connection, by the server's dialog id. Remains after the end. */
  readonly recoveries: Map<string, DialogRecovery>;
  /** Functions that repeat a challenged refresh, by dialog id. */
  readonly refreshers: Map<string, (method: RefreshMethod) => void>;
  readonly alive: boolean;
  readonly owner: LinkOwner;
  /**
   * Resolves once the server has reported a dialog's recovery data, which comes apart from the dialog; after 250
   * ms at most; at once if the server reports none.
   */
  recoveryKnown(dialogId: string): Promise<void>;
  /** Calls the listener once, when the connection ends or has ended. @returns a function that removes the listener. */
  onLost(listener: () => void): () => void;
  close(): void;
}

/** The owner of consecutive links. */
export interface LinkOwner {
  /** Installs the request handlers before the first request can come. */
  install(link: ServerLink): void;
  /** A connection that the server opened was lost; null: all of them. */
  connectionLost(connection: string | null): void;
  /** Receives the errors of listeners. */
  onFault(error: unknown): void;
  /** Sends the BYE of an orphaned dialog over the current server. Never rejects. */
  endOrphan(recovery: DialogRecovery): Promise<void>;
}

/** A loopback connection takes a millisecond; a slower one is retried. */
const CONNECT_TIMEOUT_MS = 5_000;
/** A worker's message takes microseconds; a busy main thread delays it by some milliseconds. */
const RECOVERY_TIMEOUT_MS = 250;

/** Connects and authenticates. Rejects if that fails or takes longer than 5 s. */
export function connectServer(server: DrachtioServer, owner: LinkOwner): Promise<ServerLink> {
  return new Promise((resolve, reject) => {
    const link = new SrfLink(server, owner);
    const timeout = setTimeout(() => fail('no answer'), CONNECT_TIMEOUT_MS);
    const fail = (reason: string): void => {
      clearTimeout(timeout);
      reject(new Error(`SIP server: ${reason}`));
      link.close();
    };
    link.onLost(() => fail('connection lost'));
    link.srf.on('error', () => fail('cannot be reached'));
    link.srf.on('connect', (error, addresses) => {
      if (error !== null) return fail('wrong secret');
      clearTimeout(timeout);
      link.addresses = parseAddresses(addresses ?? '');
      resolve(link);
    });
    owner.install(link);
    link.connect();
  });
}

class SrfLink implements ServerLink {
  readonly srf = makeSrfClient();
  readonly server: DrachtioServer;
  readonly owner: LinkOwner;
  readonly recoveries = new Map<string, DialogRecovery>();
  readonly refreshers = new Map<string, (method: RefreshMethod) => void>();
  addresses: readonly SipAddress[] = [];
  #socket: Socket | null = null;
  #closed = false;
  readonly #lostListeners = new Set<() => void>();

  /** Waits for recovery data, by dialog id. */
  readonly #recoveryWaiters = new Map<string, () => void>();

  constructor(server: DrachtioServer, owner: LinkOwner) {
    this.server = server;
    this.owner = owner;
    // Not removed at the end of the connection: the last messages of a worker may come later.
    server.onDialog?.((dialogId, _sipCallId, recovery) => {
      if (recovery === null) this.recoveries.delete(dialogId);
      else this.recoveries.set(dialogId, recovery);
      this.#recoveryWaiters.get(dialogId)?.();
    });
    server.onRefreshChallenged?.((dialogId, method) => this.refreshers.get(dialogId)?.(method));
    server.onConnectionLost?.((transport, address, port) => {
      if (this.alive) owner.connectionLost(connectionName(transport, address, port));
    });
    this.srf.on('close', () => this.close());
  }

  /** The library's reconnection is off: a new connection is a new link, without the old dialogs. */
  connect(): void {
    const { host, port, secret } = this.server;
    this.srf.connect({ host, port, secret, reconnect: { maxAttempts: 1 } });
    guardFrames(this.srf, this.owner.onFault, (socket) => {
      if (this.#closed) socket.destroy();
      this.#socket = socket;
    });
  }

  get alive(): boolean {
    return !this.#closed;
  }

  recoveryKnown(dialogId: string): Promise<void> {
    if (this.server.onDialog === undefined || this.recoveries.has(dialogId)) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timeout);
        this.#recoveryWaiters.delete(dialogId);
        resolve();
      };
      const timeout = setTimeout(finish, RECOVERY_TIMEOUT_MS);
      this.#recoveryWaiters.set(dialogId, finish);
    });
  }

  onLost(listener: () => void): () => void {
    if (this.#closed) {
      // Not at once: callers use the function that they get back in their listener.
      const timer = setImmediate(listener);
      return () => clearImmediate(timer);
    }
    this.#lostListeners.add(listener);
    return () => this.#lostListeners.delete(listener);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket?.destroy();
    const listeners = [...this.#lostListeners];
    this.#lostListeners.clear();
    for (const listener of listeners) listener();
  }
}

/** Names a connection by its peer. */
export function connectionName(transport: string, address: string, port: number): string {
  return `${transport} ${address} ${port}`;
}

/** Parses `udp/192.0.2.1:5060,tcp/192.0.2.1:5060`, with IPv6 addresses in brackets. Skips unsupported transports. */
function parseAddresses(list: string): SipAddress[] {
  return list.split(',').flatMap((entry) => {
    const match = /^(udp|tcp|tls)\/(.+):(\d{1,5})$/.exec(entry.trim());
    const [, transport, host = '', port] = match ?? [];
    if (transport !== 'udp' && transport !== 'tcp' && transport !== 'tls') return [];
    return [{ transport, host: host.replace(/^\[|\]$/g, ''), port: Number(port) }];
  });
}
