import type { SourceFilterLimits } from '../source-filter/source-filter-limits.ts';

/** The bounds of the server's memory and work, and the effect at each. */
export interface ServerLimits extends SourceFilterLimits {
  /** Concurrent transactions, both directions. Beyond: requests of peers are dropped and counted, the application's are refused. */
  readonly transactionsMax: number;
  /** Beyond: a new INVITE is answered 503, an outbound one is refused. */
  readonly dialogsMax: number;
  /** SIP connections over TCP, and as many over TLS. Beyond: a new one is closed at once and counted. */
  readonly connectionsMax: number;
  /** Connections of one address, so that one peer cannot use all. Beyond: a new one is closed at once and counted. */
  readonly connectionsPerAddressMax: number;
}

/** Share of the process's file descriptors that connections over TCP may take, and as much those over TLS. */
const SHARE = 0.125;
/** Also with very few file descriptors trunks must get a connection. */
const CONNECTIONS_MIN = 16;
/** A quarter, so that a few addresses cannot use all. */
const SHARE_PER_ADDRESS = 0.25;

/**
 * For a service of several thousand calls. A trunk sends everything from one address: 500 new calls per second send
 * 2,000 messages. A transaction lives 32 s, so 780 calls per second reach 50,000 transactions, about 400 MiB.
 */
export const DEFAULT_LIMITS: ServerLimits = {
  transactionsMax: 50_000,
  dialogsMax: 20_000,
  connectionsMax: 2_000,
  connectionsPerAddressMax: 500,
  messagesPerSecondPerAddress: 2_000,
  // Enough for a telephone system without a trunk entry that places a hundred calls per second.
  unknownSourceMessagesPerSecond: 500,
  // Covers misdialling by hand; a machine that scans numbers exceeds it.
  wrongGuessesPerSourceMax: 40,
  wrongGuessesPerSecondPerSource: 1,
  // Each guess needs one database query of the main thread. This rate uses a few percent of its time.
  wrongGuessesMax: 400,
  wrongGuessesPerSecond: 20,
};

/** The default limits, with as many connections as a limit of open files allows (`ulimit -n`): accepting one more would fail. */
export function limitsFor(openFiles: number): ServerLimits {
  const allowed = Math.max(CONNECTIONS_MIN, Math.floor(openFiles * SHARE));
  const connectionsMax = Math.min(DEFAULT_LIMITS.connectionsMax, allowed);
  return {
    ...DEFAULT_LIMITS,
    connectionsMax,
    connectionsPerAddressMax: Math.floor(connectionsMax * SHARE_PER_ADDRESS),
  };
}
