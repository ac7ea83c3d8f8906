/** What bounds the server's memory and work. What happens at each bound stands beside it. */
export interface ServerLimits {
  /** Transactions at once, both ways. Beyond: requests of peers are dropped and counted, orders of the application refused. */
  readonly transactionsMax: number;
  /** Beyond: a new INVITE is answered 503, an outbound one is refused. */
  readonly dialogsMax: number;
  /** SIP connections over TCP. Beyond: a new one is closed at once and counted. */
  readonly connectionsMax: number;
  /** Of one address. Beyond: as above, so that one peer cannot take them all. */
  readonly connectionsPerAddressMax: number;
  /** Messages a second of one address, in bursts of twice as many. Beyond: dropped and counted. */
  readonly messagesPerSecondPerAddress: number;
}

/**
 * For a service of some thousand calls: a trunk sends everything from one address, and 500 new calls a second of it are
 * 2,000 messages; a transaction lives 32 s, so 50,000 are reached by 780 calls a second, and hold some 400 MiB.
 */
export const DEFAULT_LIMITS: ServerLimits = {
  transactionsMax: 50_000,
  dialogsMax: 20_000,
  connectionsMax: 2_000,
  connectionsPerAddressMax: 500,
  messagesPerSecondPerAddress: 2_000,
};
