import { sourceNetworkOf } from '../../../base/network/source-network.ts';
import type { Clock } from '../../../base/time/clock.ts';

/** Ms of RTP that all calls together may send to a network without an answer: as much as one call may. */
export const NETWORK_UNANSWERED_MS_MAX = 2_000;
export const BUDGET_WINDOW_MS = 60_000;
/**
 * Networks with a window in progress, some 100 bytes each; callers name them in SDP. It also bounds what all third parties get:
 * 6,827 packets a second. At this number a further network gets nothing.
 */
export const NETWORKS_MAX = 4_096;

interface Window {
  readonly endsUs: number;
  leftMs: number;
}

/** RTP of this node to addresses from which no packet has come, by network and minute: many calls may name one victim. */
export class UnansweredRtpBudget {
  readonly #clock: Pick<Clock, 'nowUs'>;
  /** In the order of their ends, because all are equally long. */
  readonly #windows = new Map<string, Window>();

  constructor(clock: Pick<Clock, 'nowUs'>) {
    this.#clock = clock;
  }

  /** Takes at most `wantedMs` for an address, whether or not they are then sent. @returns the granted time; 0: none. */
  take(address: string, wantedMs: number): number {
    const window = this.#windowOf(sourceNetworkOf(address));
    if (window === null) return 0;
    const takenMs = Math.min(wantedMs, window.leftMs);
    window.leftMs -= takenMs;
    return takenMs;
  }

  #windowOf(network: string): Window | null {
    const nowUs = this.#clock.nowUs();
    for (const [ended, { endsUs }] of this.#windows) {
      if (endsUs > nowUs) break;
      this.#windows.delete(ended);
    }
    const known = this.#windows.get(network);
    if (known !== undefined) return known;
    if (this.#windows.size >= NETWORKS_MAX) return null;
    const window = { endsUs: nowUs + BUDGET_WINDOW_MS * 1_000, leftMs: NETWORK_UNANSWERED_MS_MAX };
    this.#windows.set(network, window);
    return window;
  }
}
