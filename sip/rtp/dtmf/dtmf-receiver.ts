import { timestampDistance } from '../packet/sequence-arithmetic.ts';
import { digitOfEvent, type TelephoneEvent } from './telephone-event.ts';

/** After this time without a packet of the event, its end was lost: three times the 50 ms of RFC 4733 §2.5.1.2. */
const LOST_END_MS = 150;
/** Durations only grow. A duration that is smaller by this much has wrapped. */
const WRAPPED_BY = 0x8000;
/** An event of this duration continues as a new segment, whose timestamp is later by this (RFC 4733 §2.5.1.3). */
const SEGMENT_DURATION = 0xffff;

/**
 * Converts received events to digits, each emitted once, at its end. Events are distinguished by timestamp and code, not
 * by the marker bit, which some senders omit and the network may lose. An event ends with its end bit, with the next
 * event, or with silence. Tolerates senders that wrap the duration, start a segment early, or give each packet of an
 * event its own timestamp.
 */
export class DtmfReceiver {
  readonly #onDigit: (digit: string, durationMs: number) => void;
  /** Clock rate of the telephone-event payload, in Hz. */
  clockRate: number;
  #active = false;
  #event = 0;
  /** Timestamp of the current segment, or of the last emitted event. */
  #timestamp = 0;
  #duration = 0;
  /** Total duration of the previous segments. */
  #segments = 0;
  #lastMs = 0;
  #seen = false;
  /** The stream restarted: the event may continue with other timestamps. */
  #moved = false;

  /** @param clockRate of the telephone-event payload, in Hz. */
  constructor(clockRate: number, onDigit: (digit: string, durationMs: number) => void) {
    this.clockRate = clockRate;
    this.#onDigit = onDigit;
  }

  /** Takes one event packet; `timestamp` is its RTP timestamp, `nowMs` monotonic. */
  receive(packet: TelephoneEvent, timestamp: number, nowMs: number): void {
    if (!this.#belongsToCurrent(packet, timestamp, nowMs)) {
      if (this.#seen && !this.#moved && timestampDistance(timestamp, this.#timestamp) < 0) return;
      this.#finish();
      this.#begin(packet.event, timestamp);
    }
    if (!this.#active) return;
    this.#lastMs = nowMs;
    this.#grow(packet.duration);
    if (packet.end) this.#finish();
  }

  /** Call it every 20 ms: ends an event whose end packets were all lost. */
  tick(nowMs: number): void {
    if (this.#active && nowMs - this.#lastMs >= LOST_END_MS) this.#finish();
  }

  /** The source restarted: earlier timestamps are invalid. The current event continues in the new stream, or ends. */
  reset(): void {
    this.#moved = true;
  }

  /** The call ends: emits the current digit. */
  close(): void {
    this.#finish();
  }

  #belongsToCurrent(packet: TelephoneEvent, timestamp: number, nowMs: number): boolean {
    if (!this.#seen || packet.event !== this.#event) return false;
    if (this.#moved) return this.#goesOn(packet, timestamp, nowMs);
    const distance = timestampDistance(timestamp, this.#timestamp);
    if (distance === 0) return true;
    if (!this.#active || distance < 0) return false;
    if (distance === packet.duration - this.#duration) {
      // Each packet of this sender has its own timestamp, and the duration up to it.
      this.#timestamp = timestamp;
      return true;
    }
    if (distance !== SEGMENT_DURATION && distance !== this.#duration) return false;
    this.#segments += distance;
    this.#timestamp = timestamp;
    this.#duration = 0;
    return true;
  }

  /** Whether the event continues in the new stream: the same code, without a gap, and not shorter. */
  #goesOn(packet: TelephoneEvent, timestamp: number, nowMs: number): boolean {
    if (nowMs - this.#lastMs >= LOST_END_MS || packet.duration < this.#duration) return false;
    this.#moved = false;
    this.#timestamp = timestamp;
    return true;
  }

  #grow(duration: number): void {
    if (duration > this.#duration) this.#duration = duration;
    else if (this.#duration - duration > WRAPPED_BY) {
      this.#segments += SEGMENT_DURATION + 1;
      this.#duration = duration;
    }
  }

  #begin(event: number, timestamp: number): void {
    this.#seen = true;
    this.#moved = false;
    this.#active = true;
    this.#event = event;
    this.#timestamp = timestamp;
    this.#duration = 0;
    this.#segments = 0;
  }

  #finish(): void {
    if (!this.#active) return;
    this.#active = false;
    const digit = digitOfEvent(this.#event);
    if (digit !== null) this.#onDigit(digit, Math.round(((this.#segments + this.#duration) * 1000) / this.clockRate));
  }
}
