import type { SourcePolicyLimits } from '../source-policy/source-policy-limits.ts';

/** The bounds of the server's memory and work, and what happens at each. */
export interface ServerLimits extends SourcePolicyLimits {
  /** Transactions at once, both directions. Beyond: requests of peers are dropped and counted, the application's are refused. */
  readonly transactionsMax: number;
  /** Beyond: a new INVITE is answered 503, an outbound one is refused. */
  readonly dialogsMax: number;
  /** SIP connections over TCP, and as many over TLS. Beyond: a new one is closed at once and counted. */
  readonly connectionsMax: number;
  /** Connections of one address. Beyond: as above, so that one peer cannot take them all. */
  readonly connectionsPerAddressMax: number;
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
  // A telephone system that nobody listed: a hundred new calls a second.
  unknownSourceMessagesPerSecond: 500,
  // A wrong number is dialled again by hand, a list of them by a machine.
  wrongGuessesPerSourceMax: 40,
  wrongGuessesPerSecondPerSource: 1,
  // Each costs the main thread a look into the database: some hundredths of its time at most.
  wrongGuessesMax: 400,
  wrongGuessesPerSecond: 20,
};
