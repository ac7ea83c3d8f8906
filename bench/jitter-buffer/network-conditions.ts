import { seededRandom } from '../../test/seeded-random.ts';

/** The effects of a network on a stream of packets. The same seed gives the same effects. */
export interface NetworkConditions {
  /** Share of packets that never arrive, 0–1. */
  readonly lossShare: number;
  /** Average number of packets in a row that one loss removes. Default 1: losses are independent. */
  readonly burstPackets?: number;
  /** Largest additional delay of a packet, ms. Delays are evenly distributed from 0, so packets overtake each other. */
  readonly jitterMs: number;
  /** Share of packets that arrive twice, 0–1. */
  readonly duplicateShare?: number;
  /** How much faster than ours the sender's clock runs, in parts per million. */
  readonly skewPpm?: number;
  readonly seed: number;
}

export interface Arrival {
  /** Number of the packet in the stream, from 0. */
  readonly index: number;
  readonly sentMs: number;
  readonly atMs: number;
}

const DUPLICATE_AFTER_MS = 30;

/** The arrivals of a stream's packets, earliest first. */
export function arrivalsIn(conditions: NetworkConditions, packets: number, packetMs: number): Arrival[] {
  const { lossShare, burstPackets = 1, jitterMs, duplicateShare = 0, skewPpm = 0 } = conditions;
  const chance = seededRandom(conditions.seed);
  const lossOf = burstLoss(lossShare, burstPackets, chance);
  const arrivals: Arrival[] = [];
  for (let index = 0; index < packets; index++) {
    const sentMs = (index * packetMs) / (1 + skewPpm / 1e6);
    const delayMs = chance() * jitterMs;
    const isDoubled = chance() < duplicateShare;
    if (lossOf()) continue;
    arrivals.push({ index, sentMs, atMs: sentMs + delayMs });
    if (isDoubled) arrivals.push({ index, sentMs, atMs: sentMs + delayMs + chance() * DUPLICATE_AFTER_MS });
  }
  return arrivals.sort((a, b) => a.atMs - b.atMs);
}

/** Gilbert's model: a good state without loss, and a bad state in which every packet is lost. */
function burstLoss(share: number, burst: number, chance: () => number): () => boolean {
  const leave = 1 / burst;
  const enter = share >= 1 ? 1 : (leave * share) / (1 - share);
  let isBad = false;
  return () => {
    isBad = chance() < (isBad ? 1 - leave : enter);
    return isBad;
  };
}
