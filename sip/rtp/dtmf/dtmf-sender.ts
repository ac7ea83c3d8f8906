import { encodeTelephoneEvent, eventOfDigit, TELEPHONE_EVENT_BYTES, type TelephoneEvent } from './telephone-event.ts';

/** Bound of the queue. */
const QUEUED_DIGITS_MAX = 64;
const TICK_MS = 20;
/** A digit lasts 100 ms, five ticks. Its first end packet is in the last of them. */
const TONE_TICKS = 5;
/** The end packet is sent three times in total (RFC 4733 §2.5.1.4), one tick apart. */
const END_REPEATS = 2;
/** Pause between digits: 100 ms, well over the 40 ms that receivers of tones need (ITU-T Q.24). */
const PAUSE_TICKS = 5;
/** The pauses of a dialling string (`w`, `,`), in ticks: half a second and two. */
const PAUSES: Readonly<Record<string, number>> = { w: 25, W: 25, ',': 100 };
const PAUSE_FLAG = 0x80;
/** −10 dBm0, the usual level of a keypad. */
const VOLUME = 10;

/**
 * Plans the packets of digits that are sent as telephone events (RFC 4733). Call `next` every 20 ms. If it returns true,
 * the packet in the fields replaces audio.
 */
export class DtmfSender {
  /** Clock units of the telephone-event payload, per ms. */
  clockPerMs = 8;
  /** Marker bit of the packet that `next` planned. */
  marker = false;
  /** RTP timestamp: the start of the event, equal in all its packets. */
  timestamp = 0;
  readonly payload = new Uint8Array(TELEPHONE_EVENT_BYTES);

  readonly #queue = new Uint8Array(QUEUED_DIGITS_MAX);
  #head = 0;
  #queued = 0;
  /** Ticks since the current digit began; −1 between digits. */
  #tick = -1;
  /** Ticks left of a pause. */
  #pausing = 0;
  readonly #packet: TelephoneEvent = { event: 0, end: false, volume: VOLUME, duration: 0 };

  /** Queues digits and pauses; other characters are ignored. Returns false if some did not fit. */
  start(digits: string): boolean {
    let all = true;
    for (const digit of digits) {
      const pause = PAUSES[digit];
      const event = pause === undefined ? eventOfDigit(digit) : pause | PAUSE_FLAG;
      if (event === null) continue;
      if (this.#queued === QUEUED_DIGITS_MAX) all = false;
      else {
        this.#queue[(this.#head + this.#queued) % QUEUED_DIGITS_MAX] = event;
        this.#queued++;
      }
    }
    return all;
  }

  /** Whether a digit or a pause is in progress or queued. */
  get busy(): boolean {
    return this.#tick !== -1 || this.#pausing > 0 || this.#queued > 0;
  }

  /** The event whose tone replaces audio in this tick if the peer supports no telephone events; null: none. */
  get sounding(): number | null {
    return this.#tick >= 1 && this.#tick <= TONE_TICKS ? this.#packet.event : null;
  }

  /** @param timestamp RTP timestamp that audio would have in this tick. */
  next(timestamp: number): boolean {
    if (this.#pausing > 0) {
      this.#pausing--;
      return false;
    }
    if (this.#tick === -1) {
      if (this.#queued === 0) return false;
      this.#begin(timestamp);
      if (this.#pausing > 0) return this.next(timestamp);
    }
    this.#tick++;
    if (this.#tick <= TONE_TICKS + END_REPEATS) {
      this.marker = this.#tick === 1;
      this.#packet.duration = Math.min(this.#tick, TONE_TICKS) * TICK_MS * this.clockPerMs;
      this.#packet.end = this.#tick >= TONE_TICKS;
      encodeTelephoneEvent(this.payload, 0, this.#packet);
      return true;
    }
    if (this.#tick >= TONE_TICKS + PAUSE_TICKS) this.#tick = -1;
    return false;
  }

  #begin(timestamp: number): void {
    const next = this.#queue[this.#head] ?? 0;
    this.#head = (this.#head + 1) % QUEUED_DIGITS_MAX;
    this.#queued--;
    if ((next & PAUSE_FLAG) !== 0) {
      this.#pausing = next & ~PAUSE_FLAG;
      return;
    }
    this.#packet.event = next;
    this.timestamp = timestamp;
    this.#tick = 0;
  }
}
