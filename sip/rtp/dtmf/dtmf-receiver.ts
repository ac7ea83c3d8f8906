import { timestampDistance } from '../packet/sequence-arithmetic.ts';
import { digitOfEvent, type TelephoneEvent } from './telephone-event.ts';

/** Without a packet of the event for so long, its end was lost: three times the 50 ms that RFC 4733 §2.5.1.2 allows. */
const LOST_END_MS = 150;
/** Durations only grow; one that is so much smaller has gone over the field's end. */
const WRAPPED_BY = 0x8000;
/** A duration at the field's limit goes on as a new segment, whose timestamp is so much later (RFC 4733 §2.5.1.3). */
const SEGMENT_DURATION = 0xffff;

/**
 * Makes digits of the events that come in, each told once, when it has ended. What tells events apart is their
 * timestamp and code, never the marker bit, which some senders leave out and the network may lose. An end is told by the
 * end bit, or else by the next event, or else by silence. Senders are borne with that let the duration wrap, begin a segment
 * before the field is full, or give each packet of an event a timestamp of its own.
 */
export class DtmfReceiver {
  readonly #onDigit: (digit: string, durationMs: number) => void;
  /** Of the telephone-event payload, in Hz. */
  clockRate: number;
  #active = false;
  #event = 0;
  /** Timestamp of the current segment, or of the last event that was told. */
  #timestamp = 0;
  #duration = 0;
  /** Durations of the segments before. */
  #segments = 0;
  #lastMs = 0;
  #seen = false;
  /** The stream began anew: the event may go on under other timestamps. */
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

  /** To be called now and then (each 20 ms will do): ends an event whose end packets were all lost. */
  tick(nowMs: number): void {
    if (this.#active && nowMs - this.#lastMs >= LOST_END_MS) this.#finish();
  }

  /** The source began anew: earlier timestamps mean nothing any more. What runs may go on in the new stream, or ends. */
  reset(): void {
    this.#moved = true;
  }

  /** The call ends: what runs is told. */
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
      // Each packet is stamped with its own time, and tells how long the key has been held by then.
      this.#timestamp = timestamp;
      return true;
    }
    if (distance !== SEGMENT_DURATION && distance !== this.#duration) return false;
    this.#segments += distance;
    this.#timestamp = timestamp;
    this.#duration = 0;
    return true;
  }

  /** Whether an event of the stream before goes on in this one: the same, at once, and held no shorter than it was. */
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
