import { pause } from '../../base/time/pause.ts';
import { SYSTEM_CLOCK } from '../../base/time/system-clock.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../sip/server/embedded-server.ts';
import type { ServerStatistics } from '../../sip/server/statistics.ts';
import type { DrachtioServer } from '../../sip/signalling/server-link.ts';
import { ALL_SOURCES, type AllowedSources } from '../../sip/source-policy/allowed-sources.ts';
import type { TlsSettings } from '../../sip/transport/tls-stream.ts';
import type { TraceEntry } from '../../sip/transport/trace.ts';
import type { Configuration } from '../configuration/configuration.ts';

/** A server whose port is not free yet is started again after this long. */
const RESTART_DELAY_MS = 100;

export interface SipSupervisorOptions {
  readonly sip: Configuration['sip'];
  readonly onDeath: (reason: string) => void;
  readonly onTrace?: (entry: TraceEntry) => void;
}

/**
 * The SIP server that signalling connects to: a drachtio-server of the site's, or the embedded one, started again on the
 * same port when it dies.
 */
export class SipSupervisor {
  readonly #options: SipSupervisorOptions;
  #running: Promise<EmbeddedServer> | null = null;
  #port: number;
  #tls: TlsSettings;
  #sources: AllowedSources = ALL_SOURCES;
  #closed = false;

  constructor(options: SipSupervisorOptions) {
    this.#options = options;
    this.#port = options.sip.port;
    this.#tls = options.sip.tls;
  }

  /** Asked by signalling before each connection. Rejects where the port cannot be bound. */
  async server(): Promise<DrachtioServer> {
    const site = this.#options.sip.server;
    if (site !== null) return site;
    this.#running ??= this.#start();
    return this.#running;
  }

  /** Null with a drachtio-server of the site's. */
  async statistics(): Promise<ServerStatistics | null> {
    return this.#running === null ? null : (await this.#running).statistics();
  }

  /** Whose calls are wanted from now on. A drachtio-server of the site's has rules of its own. */
  async allow(sources: AllowedSources): Promise<void> {
    this.#sources = sources;
    (await this.#running)?.setAllowedSources(sources);
  }

  /** Reads certificate, key and authorities anew. Rejects where that fails; those read before stay in use. */
  async reloadTls(): Promise<void> {
    await (await this.#running)?.reloadTls();
  }

  /** Ends the embedded server as a crash would, for tests of that. */
  async kill(): Promise<void> {
    await (await this.#running)?.kill();
  }

  async close(): Promise<void> {
    this.#closed = true;
    const server = await this.#running?.catch(() => null);
    await server?.close();
  }

  async #start(): Promise<EmbeddedServer> {
    const { sip, onDeath, onTrace } = this.#options;
    try {
      const server = await startEmbeddedServer({
        bindAddress: sip.bind,
        port: this.#port,
        tls: this.#tls,
        sources: this.#sources,
        localNetworks: sip.localNetworks,
        ...(sip.externalAddress !== null && { externalAddress: sip.externalAddress }),
      });
      // A port that the kernel chose stays ours after a death: peers know it.
      this.#port = server.addresses[0]?.port ?? this.#port;
      const tls = server.addresses.find(({ transport }) => transport === 'tls');
      const { certificate } = this.#tls;
      if (tls !== undefined && certificate !== null)
        this.#tls = { ...this.#tls, certificate: { ...certificate, port: tls.port } };
      server.onExit((reason) => {
        this.#running = null;
        if (!this.#closed) onDeath(reason);
      });
      if (onTrace !== undefined) server.onTrace(onTrace);
      return server;
    } catch (error) {
      await pause(SYSTEM_CLOCK, RESTART_DELAY_MS);
      this.#running = null;
      throw error;
    }
  }
}
