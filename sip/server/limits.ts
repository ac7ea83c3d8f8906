/** What bounds the server's memory and work. What happens at each bound stands beside it. */
export interface ServerLimits {
  /** Transactions at once, both ways. Beyond: requests of peers are dropped and counted, orders of the application refused. */
  readonly transactionsMax: number;
  /** Beyond: a new INVITE is answered 503, an outbound one is refused. */
  readonly dialogsMax: number;
  /** SIP connections over TCP, and as many over TLS. Beyond: a new one is closed at once and counted. */
  readonly connectionsMax: number;
  /** Of one address. Beyond: as above, so that one peer cannot take them all. */
  readonly connectionsPerAddressMax: number;
  /** Messages a second of one address, in bursts of twice as many. Beyond: dropped and counted. */
  readonly messagesPerSecondPerAddress: number;
  /** The same for an address that no trunk lists, where such ones are heard at all, outside the calls that it is in. */
  readonly unknownSourceMessagesPerSecond: number;
  /**
   * INVITEs of such an address that dial nobody, name a call that is not there or bring no good password: at once, and
   * regained a second. Beyond: its INVITEs are dropped and counted.
   */
  readonly wrongGuessesPerSourceMax: number;
  readonly wrongGuessesPerSecondPerSource: number;
  /** The same of all such addresses together: who writes a new one into each packet gains nothing by it. */
  readonly wrongGuessesMax: number;
  readonly wrongGuessesPerSecond: number;
}

/**
 * Of the places of transactions, and of those of connections, what addresses that no trunk lists may take: the calls in
 * progress, the trunks and what we open ourselves need the others.
 */
export const UNKNOWN_SOURCES_SHARE_MAX = 0.8;

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
  // A telephone system that nobody listed: a hundred new calls a second.
  unknownSourceMessagesPerSecond: 500,
  // A wrong number is dialled again by hand, a list of them by a machine.
  wrongGuessesPerSourceMax: 40,
  wrongGuessesPerSecondPerSource: 1,
  // Each costs the main thread a look into the database: some hundredths of its time at most.
  wrongGuessesMax: 400,
  wrongGuessesPerSecond: 20,
};
