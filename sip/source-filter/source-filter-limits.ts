/** How much each source, and all unknown sources together, may send. */
export interface SourceFilterLimits {
  /** Messages per second of one address, in bursts of twice as many. Beyond: dropped and counted. */
  readonly messagesPerSecondPerAddress: number;
  /** Messages per second of an unknown source, outside the calls that it is in. Beyond: dropped and counted. */
  readonly unknownSourceMessagesPerSecond: number;
  /**
   * INVITEs of an unknown source that end in 401, 403 or 404: the burst, and the rate at which it refills. Beyond: further
   * INVITEs are dropped and counted.
   */
  readonly wrongGuessesPerSourceMax: number;
  readonly wrongGuessesPerSecondPerSource: number;
  /** The same for all unknown sources together, so that forged source addresses gain nothing. */
  readonly wrongGuessesMax: number;
  readonly wrongGuessesPerSecond: number;
}

/**
 * The share of the transactions, and of the connections, that unknown sources may use. The rest is for calls in progress,
 * for trunks and for what we send ourselves.
 */
export const UNKNOWN_SOURCES_SHARE_MAX = 0.8;
