import type { OwnListener } from '../../base/network/address-policy.ts';
import { textsOf } from '../../base/network/address-range.ts';
import { pause } from '../../base/time/pause.ts';
import { SYSTEM_CLOCK } from '../../base/time/system-clock.ts';
import type { InviteRefusal } from '../../sip/message/invite-refusal.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../sip/server/embedded-server.ts';
import type { ServerStatistics } from '../../sip/server/server-statistics.ts';
import type { DrachtioServer } from '../../sip/signalling/server-link.ts';
import { ALL_SOURCES, type AllowedSources } from '../../sip/source-filter/source-filter.ts';
import type { TlsSettings } from '../../sip/transport/tls-stream.ts';
import type { TraceEntry } from '../../sip/transport/trace-entry.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { checkedServer } from './checked-server.ts';

/** Delay before a start is tried again if the port is not free yet, ms. */
const RESTART_DELAY_MS = 100;

export interface SipSupervisorOptions {
  readonly sip: Configuration['sip'];
  /** Listeners of the service besides the SIP server: no request goes to them. Grows during the start of the service. */
  readonly listeners: readonly OwnListener[];
  readonly onExit: (reason: string) => void;
  readonly onTrace?: (entry: TraceEntry) => void;
  /** The embedded server refused an INVITE itself. */
  readonly onInviteRefused: (refusal: InviteRefusal) => void;
}

/**
 * The SIP server that signalling connects to: the drachtio-server of `SIP_SERVER`, or the embedded one, which is started again
 * on the same port after a crash.
 */
export class SipSupervisor {
  readonly #options: SipSupervisorOptions;
  /** Null without `SIP_SERVER`. */
  readonly #external: DrachtioServer | null;
  #running: Promise<EmbeddedServer> | null = null;
  #port: number;
  #tls: TlsSettings;
  #sources: AllowedSources = ALL_SOURCES;
  #closed = false;

  constructor(options: SipSupervisorOptions) {
    this.#options = options;
    const { server, trunkNetworks } = options.sip;
    this.#external = server && checkedServer(server, trunkNetworks, options.listeners);
    this.#port = options.sip.port;
    this.#tls = options.sip.tls;
  }

  /** Signalling calls it before each connection. Rejects if the port cannot be bound. */
  async server(): Promise<DrachtioServer> {
    if (this.#external !== null) return this.#external;
    this.#running ??= this.#start();
    return this.#running;
  }

  /** Null with `SIP_SERVER`. */
  async statistics(): Promise<ServerStatistics | null> {
    return this.#running === null ? null : (await this.#running).statistics();
  }

  /** Sets the allowed sources. A drachtio-server ignores them: it has its own rules. */
  async allow(sources: AllowedSources): Promise<void> {
    this.#sources = sources;
    (await this.#running)?.setAllowedSources(sources);
  }

  /** Informs the embedded server of the listeners that have been added. */
  async protectListeners(): Promise<void> {
    (await this.#running)?.setOtherListeners(this.#listeners());
  }

  /** Reloads certificate, key and CA. Rejects if that fails; the previous ones stay in use. */
  async reloadTls(): Promise<void> {
    await (await this.#running)?.reloadTls();
  }

  async close(): Promise<void> {
    this.#closed = true;
    const server = await this.#running?.catch(() => null);
    await server?.close();
  }

  /** Plain copies, which a worker can receive. */
  #listeners(): readonly OwnListener[] {
    return this.#options.listeners.map(({ address, port }) => ({ address, port }));
  }

  async #start(): Promise<EmbeddedServer> {
    const { sip, onExit, onInviteRefused, onTrace } = this.#options;
    try {
      const server = await startEmbeddedServer({
        bindAddress: sip.bind,
        port: this.#port,
        tls: this.#tls,
        sources: this.#sources,
        targetNetworks: textsOf(sip.trunkNetworks),
        revealedNetworks: textsOf(sip.trunkNetworks),
        localNetworks: sip.localNetworks,
        ...(sip.externalAddress !== null && { externalAddress: sip.externalAddress }),
      });
      server.setOtherListeners(this.#listeners());
      // A port that the kernel chose is kept after an exit: peers know it.
      this.#port = server.addresses[0]?.port ?? this.#port;
      const tls = server.addresses.find(({ transport }) => transport === 'tls');
      const { certificate } = this.#tls;
      if (tls !== undefined && certificate !== null)
        this.#tls = { ...this.#tls, certificate: { ...certificate, port: tls.port } };
      server.onExit((reason) => {
        this.#running = null;
        if (!this.#closed) onExit(reason);
      });
      server.onInviteRefused(onInviteRefused);
      if (onTrace !== undefined) server.onTrace(onTrace);
      return server;
    } catch (error) {
      await pause(SYSTEM_CLOCK, RESTART_DELAY_MS);
      this.#running = null;
      throw error;
    }
  }
}
