/** One received packet. The bytes are valid during the call only: the next packet may overwrite them. */
export type PacketReceiver = (packet: Uint8Array, address: string, port: number) => void;

/** Called at the end of each `poll`. */
export type WakeListener = () => void;

/**
 * The UDP interface of the media loop: `DgramSockets` everywhere, `EpollSockets` on Linux. The loop waits in `poll`, which
 * delivers packets to their receivers. A packet is sent by `send` itself: each call has its own sockets, so no system
 * call could take the packets of several calls.
 */
export interface UdpSockets {
  /** Rejects with the system's error (`EADDRINUSE`, `EACCES`, `EMFILE` …). */
  bind(port: number, receive: PacketReceiver): Promise<UdpSocket>;
  /** Delivers packets until `deadlineMs` on the clock of `performance.now`, then calls the wake listener once. */
  poll(deadlineMs: number): void;
}

/** One bound port. */
export interface UdpSocket {
  /** Sets the destination of `send`; packets are accepted from any source. */
  aim(address: string, port: number): void;
  /** Sets the destination of `send` and the only accepted source. The kernel then needs less time for each packet. */
  connect(address: string, port: number): void;
  readonly connected: boolean;
  /** Does not report errors: an unsent packet is lost, as on any network. The bytes may be reused afterwards. */
  send(packet: Uint8Array): void;
  close(): Promise<void>;
}

/** `auto`: epoll sockets where they work, otherwise `dgram`. */
export type UdpSocketChoice = 'auto' | 'dgram';

/** The sockets of a media worker, chosen at its start. */
export interface ChosenSockets {
  readonly type: 'epoll' | 'dgram';
  /** Why epoll sockets are not used; null if they are. */
  readonly reason: string | null;
}

/** Node's timers have a resolution of 1 ms, like the pacer. */
export const POLL_INTERVAL_MS = 1;
