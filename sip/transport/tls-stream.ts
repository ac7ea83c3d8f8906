import { readFileSync } from 'node:fs';
import { isIP, type Server, type Socket } from 'node:net';
import {
  connect,
  createSecureContext,
  createServer,
  rootCertificates,
  type SecureContext,
  type Server as TlsServer,
} from 'node:tls';
import type { StreamProtocol } from './stream-protocol.ts';
import type { Hop } from './transport-address.ts';

/** Plain data: it crosses into the worker. */
export interface TlsSettings {
  /** Our PEM files, shown to callers and to trunks that require one; null: no inbound TLS. */
  readonly certificate: { readonly certificatePath: string; readonly keyPath: string; readonly port: number } | null;
  /** PEM file of trusted authorities for trunks, in addition to Node's; null: only Node's. */
  readonly authorityPath: string | null;
  /** Whether a trunk must show a certificate of its name (RFC 5922 §7). */
  readonly verify: boolean;
}

export const NO_TLS: TlsSettings = { certificate: null, authorityPath: null, verify: true };

/** A slower handshake is aborted, since it uses a slot. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** RFC 8996: older versions are not to be used. */
const VERSION_MIN = 'TLSv1.2';

/** TLS after RFC 3261 §26.2 and RFC 5922. */
export class TlsStream implements StreamProtocol {
  readonly transport = 'tls';
  readonly readyEvent = 'secureConnect';
  readonly #settings: TlsSettings;
  readonly #connectionsMax: number;
  #context: SecureContext;
  #server: TlsServer | null = null;

  /**
   * @param connectionsMax handshakes and connections together; further ones are closed at once.
   * @throws if a file cannot be read or holds no certificate or key.
   */
  constructor(settings: TlsSettings, connectionsMax: number) {
    this.#settings = settings;
    this.#connectionsMax = connectionsMax;
    this.#context = createSecureContext(readFiles(settings));
  }

  /**
   * Reloads the files, for new connections.
   * @throws if that fails; the old files stay in use.
   */
  reload(): void {
    const files = readFiles(this.#settings);
    this.#context = createSecureContext(files);
    if (this.#settings.certificate !== null) this.#server?.setSecureContext(files);
  }

  createServer(onSocket: (socket: Socket) => void): Server {
    const options = { ...readFiles(this.#settings), handshakeTimeout: HANDSHAKE_TIMEOUT_MS };
    const server = createServer(options, onSocket);
    server.maxConnections = this.#connectionsMax;
    // A failed handshake affects only that connection.
    server.on('tlsClientError', (_error, socket) => socket.destroy());
    this.#server = server;
    return server;
  }

  /** The certificate must match the requested name, not the target of its DNS records (RFC 5922 §4). */
  connect({ address, port, name }: Hop): Socket {
    const peerName = name ?? address;
    return connect({
      host: address,
      port,
      secureContext: this.#context,
      rejectUnauthorized: this.#settings.verify,
      ...(isIP(peerName) === 0 ? { servername: peerName } : {}),
    });
  }
}

function readFiles({ certificate, authorityPath }: TlsSettings) {
  return {
    minVersion: VERSION_MIN,
    ...(certificate !== null && {
      cert: readFileSync(certificate.certificatePath),
      key: readFileSync(certificate.keyPath),
    }),
    ...(authorityPath !== null && { ca: [...rootCertificates, readFileSync(authorityPath, 'utf8')] }),
  } as const;
}
