import { meanOpinionScore, transmissionRating } from './e-model.ts';

/**
 * Loss, jitter and round trip of one call, in words of its shared memory. The worker writes them, the main thread reads
 * them, and the next worker continues them. Sums of times are in 1/100 ms: four hours at 100 ms of jitter add up to 144
 * million.
 */
export const QUALITY_WORDS = 14;
const EXPECTED = 0;
const LOST = 1;
const SENT = 2;
const JITTER = 3;
const ROUND_TRIP = 6;
const PEER_OF = 9;
const PEER_LOST = 10;
const PEER_JITTER = 11;
/** Offsets within a metric of times, which has three words: sum, count and maximum. */
const COUNT = 1;
const MAXIMUM = 2;
const UNITS_PER_MS = 100;
const MAXIMA: ReadonlySet<number> = new Set([JITTER, ROUND_TRIP, PEER_JITTER].map((metric) => metric + MAXIMUM));

/** Added to the network delay: one packet, and the listener's jitter buffer of twice the jitter. */
const PACKET_MS = 20;
const JITTER_BUFFERED = 2;

export interface MeanAndMaximum {
  readonly mean: number;
  readonly max: number;
}

/** One direction of a call. */
export interface DirectionQuality {
  readonly packets: number;
  /** Null without a report of its receiver. */
  readonly lost: number | null;
  /** Interarrival jitter (RFC 3550 §6.4.1), in ms. */
  readonly jitterMs: MeanAndMaximum | null;
  /** Estimated after ITU-T G.107, 1–4.5. */
  readonly mos: number | null;
}

export interface MediaQuality {
  /** From the peer's RTCP; null without a report of the peer. */
  readonly roundTripMs: MeanAndMaximum | null;
  /** From the peer to us. */
  readonly inbound: DirectionQuality;
  /** From us to the peer, as it reports. */
  readonly outbound: DirectionQuality;
}

/** Written by the worker. Each stream continues the counts of the previous stream or worker. */
export class MediaQualityRecorder {
  readonly #words: Int32Array;
  #stream = Number.NaN;
  #expectedBefore = 0;
  #lostBefore = 0;
  #sentBefore: number;
  #peerOfBefore: number;
  #peerLostBefore: number;

  /** @param words the `QUALITY_WORDS` words of the call's memory */
  constructor(words: Int32Array) {
    this.#words = words;
    this.#sentBefore = words[SENT] ?? 0;
    this.#peerOfBefore = words[PEER_OF] ?? 0;
    this.#peerLostBefore = words[PEER_LOST] ?? 0;
  }

  /** Expected and lost packets of one stream of the peer. */
  received(stream: number, expected: number, lost: number): void {
    if (stream !== this.#stream) {
      this.#stream = stream;
      this.#expectedBefore = this.#words[EXPECTED] ?? 0;
      this.#lostBefore = this.#words[LOST] ?? 0;
    }
    this.#words[EXPECTED] = this.#expectedBefore + expected;
    this.#words[LOST] = this.#lostBefore + lost;
  }

  /** Packets that this worker has sent. */
  sent(packets: number): void {
    this.#words[SENT] = this.#sentBefore + packets;
  }

  jitter(ms: number): void {
    this.#add(JITTER, ms);
  }

  roundTrip(ms: number): void {
    this.#add(ROUND_TRIP, ms);
  }

  /** The peer's report: `lost` of our first `sent` packets. */
  peer(sent: number, lost: number, jitterMs: number): void {
    this.#words[PEER_OF] = this.#peerOfBefore + sent;
    this.#words[PEER_LOST] = this.#peerLostBefore + lost;
    this.#add(PEER_JITTER, jitterMs);
  }

  #add(metric: number, ms: number): void {
    const words = this.#words;
    const value = Math.round(ms * UNITS_PER_MS);
    words[metric] = (words[metric] ?? 0) + value;
    words[metric + COUNT] = (words[metric + COUNT] ?? 0) + 1;
    words[metric + MAXIMUM] = Math.max(words[metric + MAXIMUM] ?? 0, value);
  }
}

/** Null if no packet was received and none was sent. */
export function readQuality(words: Int32Array): MediaQuality | null {
  const at = (word: number) => words[word] ?? 0;
  if (at(EXPECTED) === 0 && at(SENT) === 0) return null;
  const roundTripMs = metric(words, ROUND_TRIP);
  const wayMs = (roundTripMs?.mean ?? 0) / 2;
  const lost = Math.max(0, at(LOST));
  return {
    roundTripMs,
    inbound: direction(at(EXPECTED) - lost, at(EXPECTED), lost, metric(words, JITTER), wayMs),
    outbound: direction(at(SENT), at(PEER_OF), Math.max(0, at(PEER_LOST)), metric(words, PEER_JITTER), wayMs),
  };
}

/** The quality between two states of the words. The maxima stay those of the later state: they cannot be divided. */
export function qualitySince(now: Int32Array, before: Int32Array): MediaQuality | null {
  const between = now.map((word, at) => (MAXIMA.has(at) ? word : word - (before[at] ?? 0)));
  return readQuality(between);
}

/** @param of the number of packets that `lost` refers to */
function direction(
  packets: number,
  of: number,
  lost: number,
  jitterMs: MeanAndMaximum | null,
  wayMs: number,
): DirectionQuality {
  if (jitterMs === null || of === 0) return { packets, lost: of === 0 ? null : lost, jitterMs, mos: null };
  const delayMs = wayMs + PACKET_MS + JITTER_BUFFERED * jitterMs.mean;
  const mos = meanOpinionScore(transmissionRating({ lossShare: lost / of, delayMs }));
  return { packets, lost, jitterMs, mos: Math.round(mos * 100) / 100 };
}

function metric(words: Int32Array, at: number): MeanAndMaximum | null {
  const count = words[at + COUNT] ?? 0;
  if (count === 0) return null;
  const inMs = (units: number) => Math.round(units / (UNITS_PER_MS / 10)) / 10;
  return { mean: inMs((words[at] ?? 0) / count), max: inMs(words[at + MAXIMUM] ?? 0) };
}
