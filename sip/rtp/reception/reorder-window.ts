import { sequenceDistance } from '../packet/sequence-arithmetic.ts';

/** When this number of packets waits for an earlier one, they are released. 60 ms at 20 ms a packet. */
export const REORDER_PACKETS = 3;
/** The longest wait of a packet for an earlier one. */
export const REORDER_MS = 60;
/** A longer payload would not fit into an Ethernet frame. No sender uses fragmented UDP for audio. */
export const RTP_PAYLOAD_BYTES_MAX = 1472;

/**
 * Releases payloads in sequence order with minimum delay: at once if none is missing. After a gap, later packets wait
 * for at most `REORDER_PACKETS` packets or `REORDER_MS`; then the missing packets are skipped. The transcriber and
 * voice activity detection need the audio at once. Call `next` until it returns false, after each `push` and every 20 ms.
 */
export class ReorderWindow {
  /** The payload that `next` released, valid until the next `push`. */
  payload: Uint8Array = new Uint8Array(0);
  length = 0;
  timestamp = 0;
  payloadType = 0;
  /** Packets skipped immediately before the released one. */
  lostBefore = 0;
  /** Total numbers of packets. */
  late = 0;
  duplicates = 0;
  lost = 0;

  readonly #slots: Slot[] = Array.from({ length: REORDER_PACKETS + 1 }, createSlot);
  #waiting = 0;
  #expected = 0;
  #started = false;

  /** Stores a packet; false if it is late, a duplicate, or too long. */
  push(
    sequence: number,
    timestamp: number,
    payloadType: number,
    buffer: Uint8Array,
    offset: number,
    length: number,
    nowMs: number,
  ): boolean {
    if (!this.#started) {
      this.#started = true;
      this.#expected = sequence;
    }
    if (length > RTP_PAYLOAD_BYTES_MAX) return false;
    if (sequenceDistance(sequence, this.#expected) < 0) {
      this.late++;
      return false;
    }
    let free: Slot | null = null;
    for (const slot of this.#slots) {
      if (!slot.used) free = slot;
      else if (slot.sequence === sequence) {
        this.duplicates++;
        return false;
      }
    }
    if (free === null) return false;
    free.used = true;
    free.sequence = sequence;
    free.timestamp = timestamp;
    free.payloadType = payloadType;
    free.arrivalMs = nowMs;
    free.length = length;
    for (let i = 0; i < length; i++) free.payload[i] = buffer[offset + i] ?? 0;
    this.#waiting++;
    return true;
  }

  /** Releases the next payload into the fields above; false if none is due. */
  next(nowMs: number): boolean {
    const slot = this.#earliest();
    if (slot === null) return false;
    const gap = sequenceDistance(slot.sequence, this.#expected);
    if (gap > 0 && this.#waiting < REORDER_PACKETS && nowMs - this.#oldestArrivalMs() < REORDER_MS) return false;
    slot.used = false;
    this.#waiting--;
    this.#expected = (slot.sequence + 1) & 0xffff;
    this.lostBefore = gap;
    this.lost += gap;
    this.payload = slot.payload;
    this.length = slot.length;
    this.timestamp = slot.timestamp;
    this.payloadType = slot.payloadType;
    return true;
  }

  /** The source restarted: drops all waiting packets. */
  reset(): void {
    this.#started = false;
    this.#waiting = 0;
    for (const slot of this.#slots) slot.used = false;
  }

  #earliest(): Slot | null {
    if (this.#waiting === 0) return null;
    let found: Slot | null = null;
    for (const slot of this.#slots) {
      if (slot.used && (found === null || sequenceDistance(slot.sequence, found.sequence) < 0)) found = slot;
    }
    return found;
  }

  #oldestArrivalMs(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const slot of this.#slots) if (slot.used && slot.arrivalMs < oldest) oldest = slot.arrivalMs;
    return oldest;
  }
}

interface Slot {
  used: boolean;
  sequence: number;
  timestamp: number;
  payloadType: number;
  arrivalMs: number;
  length: number;
  readonly payload: Uint8Array;
}

function createSlot(): Slot {
  return {
    used: false,
    sequence: 0,
    timestamp: 0,
    payloadType: 0,
    arrivalMs: 0,
    length: 0,
    payload: new Uint8Array(RTP_PAYLOAD_BYTES_MAX),
  };
}
