/** The load of one media worker over the last whole second. */
export interface WorkerLoad {
  /** How late the 99th percentile of the packets left, in ms. */
  readonly latenessP99Ms: number;
  /** Share of a processor's time, 0–1. */
  readonly busyShare: number;
}

const BUSY_SHARE_MAX = 0.75;

/** The load as a share of its limits. Above 1 the worker accepts no further call. */
export function loadShare({ latenessP99Ms, busyShare }: WorkerLoad, latenessMsMax: number): number {
  return Math.max(latenessP99Ms / latenessMsMax, busyShare / BUSY_SHARE_MAX);
}
