/** The load of one media worker over the last whole second. */
export interface WorkerLoad {
  /** How late the 99th percentile of the packets left, in ms. */
  readonly latenessP99Ms: number;
  /** Share of a processor's time, 0–1. */
  readonly busyShare: number;
}

const MAX_BUSY_SHARE = 0.75;

/** Whether a worker accepts no further call now. */
export function isOverloaded({ latenessP99Ms, busyShare }: WorkerLoad, maximumLatenessMs: number): boolean {
  return latenessP99Ms > maximumLatenessMs || busyShare > MAX_BUSY_SHARE;
}
