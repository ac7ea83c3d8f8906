/** Plain data: it crosses into the worker. */
export interface AllowedSources {
  /** Addresses and CIDR ranges that trunks name as theirs. */
  readonly listed: readonly string[];
  /** Unknown sources may call too. */
  readonly open: boolean;
}

export const ALL_SOURCES: AllowedSources = { listed: [], open: true };
