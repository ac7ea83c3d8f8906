import type { Clock } from '../../base/time/clock.ts';
import type { InviteRefusalReason } from '../message/invite-refusal.ts';
import { type FaultyRequest, parseMessage } from '../message/parse-message.ts';
import { isOneLine, serializeMessage, UnserializableMessage } from '../message/serialize-message.ts';
import type { SipMessage } from '../message/sip-message.ts';
import type { SourceFilter } from '../source-filter/source-filter.ts';
import { responseHops, stampVia } from './response-routing.ts';
import { type StreamProtocol, TCP_STREAM } from './stream-protocol.ts';
import { TcpTransport } from './tcp-transport.ts';
import { type TlsSettings, TlsStream } from './tls-stream.ts';
import type { TraceEntry } from './trace-entry.ts';
import { TraceRateLimiter } from './trace-rate-limiter.ts';
import { type Hop, type Hops, hopText, type Origin } from './transport-address.ts';
import { UdpTransport } from './udp-transport.ts';

/** Attempts to find a port that is free for UDP and TCP, if the kernel chooses it. */
const PORT_TRIES_MAX = 16;

/** Bounds of the stream transports; `ServerLimits` says what happens at each. */
export interface TransportLimits {
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
}

export interface TransportsOptions {
  readonly bindAddress: string;
  /** The same for UDP and TCP; 0 lets the kernel choose. */
  readonly port: number;
  readonly tls: TlsSettings;
  readonly limits: TransportLimits;
  readonly clock: Clock;
  readonly sourceFilter: Pick<SourceFilter, 'accepts' | 'acceptsConnection'>;
  readonly onMessage: (message: SipMessage, origin: Origin) => void;
  /** A connection that we opened is gone. */
  readonly onConnectionLost: (hop: Hop) => void;
  /** A request that cannot be served was refused. */
  readonly onRefused: (request: FaultyRequest, origin: Origin, reason: InviteRefusalReason) => void;
}

export interface TransportCounters {
  /** Packets and streams that hold no readable message. */
  malformed: number;
  /** Connections refused at a bound. */
  connectionsRefused: number;
  /** Messages whose handling failed by an internal error. */
  internalErrors: number;
}

/** UDP, TCP and TLS with one `send` and one `onMessage`. */
export class Transports {
  readonly counters: TransportCounters = { malformed: 0, connectionsRefused: 0, internalErrors: 0 };
  readonly #options: TransportsOptions;
  #udp: UdpTransport | null = null;
  #tcp: TcpTransport | null = null;
  #tls: TcpTransport | null = null;
  readonly #tlsStream: TlsStream;
  #onTrace: ((entry: TraceEntry) => void) | null = null;
  readonly #traceLimiter = new TraceRateLimiter();

  /** Rejects if no port can be bound. */
  static async open(options: TransportsOptions): Promise<Transports> {
    const transports = new Transports(options);
    for (let tries = 1; ; tries++) {
      try {
        await transports.#open();
        return transports;
      } catch (error) {
        await transports.close();
        if (options.port !== 0 || tries === PORT_TRIES_MAX) throw error;
      }
    }
  }

  private constructor(options: TransportsOptions) {
    this.#options = options;
    this.#tlsStream = new TlsStream(options.tls, options.limits.connectionsMax);
  }

  async #open(): Promise<void> {
    const { bindAddress, port, tls } = this.#options;
    this.#udp = await UdpTransport.open({
      bindAddress,
      port,
      onDatagram: (bytes, origin) => void this.#receive(bytes, origin),
    });
    this.#tcp = await this.#openStreams(TCP_STREAM, this.#udp.port);
    this.#tls = await this.#openStreams(this.#tlsStream, tls.certificate?.port ?? null);
  }

  #openStreams(protocol: StreamProtocol, port: number | null): Promise<TcpTransport> {
    const { sourceFilter, bindAddress, clock, limits, onConnectionLost } = this.#options;
    return TcpTransport.open({
      protocol,
      bindAddress,
      port,
      clock,
      connectionsMax: limits.connectionsMax,
      connectionsPerAddressMax: limits.connectionsPerAddressMax,
      acceptsConnection: (address, load) => sourceFilter.acceptsConnection(address, load),
      onMessage: (bytes, origin) => this.#receive(bytes, origin),
      onFault: () => {
        this.counters.malformed += 1;
      },
      onRefused: () => {
        this.counters.connectionsRefused += 1;
      },
      onLost: onConnectionLost,
    });
  }

  get port(): number {
    return this.#udp?.port ?? this.#options.port;
  }

  /** null without inbound TLS. */
  get tlsPort(): number | null {
    return this.#tls?.port || null;
  }

  get connectionCount(): number {
    return (this.#tcp?.connectionCount ?? 0) + (this.#tls?.connectionCount ?? 0);
  }

  /** @throws if the TLS files cannot be read; the old ones stay in use. */
  reloadTls(): void {
    this.#tlsStream.reload();
  }

  /** null ends the trace. */
  trace(listener: ((entry: TraceEntry) => void) | null): void {
    this.#onTrace = listener;
  }

  /** Sends to the first hop that accepts. `onFailed` is called asynchronously if none does. */
  send(hops: Hops, message: SipMessage, onFailed: (fault: string) => void): void {
    const bytes = this.#serialize(message);
    if (bytes === null) queueMicrotask(() => onFailed('the message cannot be written'));
    else this.#sendBytes(hops, bytes, onFailed);
  }

  #serialize(message: SipMessage): Uint8Array | null {
    try {
      return serializeMessage(message);
    } catch (error) {
      if (error instanceof UnserializableMessage) return null;
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#udp?.close(), this.#tcp?.close(), this.#tls?.close()]);
    this.#udp = null;
    this.#tcp = null;
    this.#tls = null;
  }

  #sendBytes([hop, ...others]: Hops, bytes: Uint8Array, onFailed: (fault: string) => void): void {
    const [next, ...rest] = others;
    const failed = (fault: string) => {
      if (next === undefined) onFailed(`${fault}: ${hopText(hop)}`);
      else this.#sendBytes([next, ...rest], bytes, onFailed);
    };
    const transport = { udp: this.#udp, tcp: this.#tcp, tls: this.#tls }[hop.transport];
    if (transport === null) {
      queueMicrotask(() => onFailed('the transport is closed'));
      return;
    }
    this.#traceMessage('sent', hop, bytes);
    transport.send(hop, bytes, failed);
  }

  /** False for a message that the source filter rejects. */
  #receive(bytes: Uint8Array, origin: Origin): boolean {
    // A keep-alive of a peer behind NAT (over UDP: CRLF, or a NUL byte; compare RFC 5626 §4.4.1).
    if (bytes.length <= 4) return true;
    if (!this.#options.sourceFilter.accepts(bytes, origin.address)) return false;
    this.#read(bytes, origin);
    return true;
  }

  #read(bytes: Uint8Array, origin: Origin): void {
    this.#traceMessage('received', origin, bytes);
    const parsed = parseMessage(bytes);
    if (!parsed.ok) {
      this.counters.malformed += 1;
      if (parsed.partial !== undefined) this.#refuse(parsed.partial, parsed.fault, origin);
      return;
    }
    const { message } = parsed;
    if (!message.headers.every(({ value }) => isOneLine(value))) {
      // RFC 3261 §25.1 allows a NUL in a quoted string; the later layers do not.
      this.counters.malformed += 1;
      return;
    }
    const stamped = message.kind === 'request' ? { ...message, headers: stampVia(message.headers, origin) } : message;
    try {
      this.#options.onMessage(stamped, origin);
    } catch {
      // An internal error drops this message only.
      this.counters.internalErrors += 1;
    }
  }

  /** Refuses an unservable request without a transaction (RFC 3261 §8.2.7). */
  #refuse(faulty: FaultyRequest, fault: string, origin: Origin): void {
    const headers = stampVia(faulty.headers, origin);
    const reason = faulty.status === 505 ? 'Version Not Supported' : 'Bad Request';
    const { status } = faulty;
    const response: SipMessage = { kind: 'response', status, reason, headers, body: new Uint8Array(0) };
    this.send(responseHops(headers, origin), response, () => undefined);
    this.#options.onRefused(faulty, origin, { cause: 'invalid_request', status, detail: fault });
  }

  #traceMessage(direction: TraceEntry['direction'], { transport, address, port }: Hop, bytes: Uint8Array): void {
    const at = this.#options.clock.wallMs();
    if (this.#onTrace === null || !this.#traceLimiter.tryTake(at)) return;
    this.#onTrace({ direction, at, transport, remote: `${address}:${port}`, bytes });
  }
}
