/** Current counts, and counts of rejections since the start. */
export interface ServerStatistics {
  readonly transactions: number;
  readonly dialogs: number;
  readonly timers: number;
  /** SIP over TCP. */
  readonly connections: number;
  /** Connections of `drachtio-srf`. */
  readonly applications: number;
  /** Since the start: packets and streams without a readable message. */
  readonly malformed: number;
  /** Since the start: messages over the rate of their source. */
  readonly overRate: number;
  /** Since the start: messages of addresses that no trunk allows. */
  readonly unknownSources: number;
  /** Since the start: messages of tools that search for open SIP ports. */
  readonly scanners: number;
  /** Since the start: INVITEs rejected because their source failed too often. */
  readonly invitesLimited: number;
  /** Since the start: INVITEs that the server refused itself, beyond the rate at which they are reported. */
  readonly refusalsUnreported: number;
  /** Since the start: connections refused at a bound. */
  readonly connectionsRefused: number;
  /** Since the start: messages whose handling failed by an internal error. Always 0 except for a bug. */
  readonly internalErrors: number;
}
