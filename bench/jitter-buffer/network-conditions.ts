/** What a network does to a stream of packets. All of it follows from the seed. */
export interface NetworkConditions {
  /** Packets that never arrive, 0–1. */
  readonly lossShare: number;
  /** How many packets in a row one loss takes, on average; 1 or left out: each is lost by itself. */
  readonly burstPackets?: number;
  /** Each packet takes from 0 to so many ms longer than the fastest, evenly spread: they overtake each other. */
  readonly jitterMs: number;
  /** Packets that come a second time, 0–1. */
  readonly duplicateShare?: number;
  /** How much faster than ours the sender's clock runs, in millionths. */
  readonly skewPpm?: number;
  readonly seed: number;
}

export interface Arrival {
  /** Which packet of the stream, from 0 on. */
  readonly index: number;
  readonly sentMs: number;
  readonly atMs: number;
}

const DUPLICATE_AFTER_MS = 30;

/** The packets of a stream as they arrive, earliest first. */
export function arrivalsIn(weather: NetworkConditions, packets: number, packetMs: number): Arrival[] {
  const { lossShare, burstPackets = 1, jitterMs, duplicateShare = 0, skewPpm = 0 } = weather;
  const chance = seeded(weather.seed);
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

/** Numbers from 0 to 1, the same for the same seed (mulberry32 of Tommy Ettinger, public domain). */
export function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Gilbert's model: a good state without loss, a bad one in which all is lost. */
function burstLoss(share: number, burst: number, chance: () => number): () => boolean {
  const leave = 1 / burst;
  const enter = share >= 1 ? 1 : (leave * share) / (1 - share);
  let isBad = false;
  return () => {
    isBad = chance() < (isBad ? 1 - leave : enter);
    return isBad;
  };
}
