import { timestampDistance } from './serial.ts';
import { digitOfEvent, type TelephoneEvent } from './telephone-event.ts';

/** Without a packet of the event for so long, its end was lost: three times the 50 ms that RFC 4733 §2.5.1.2 allows. */
const LOST_END_MS = 150;
/** A duration at the field's limit goes on as a new segment, whose timestamp is so much later (RFC 4733 §2.5.1.3). */
const SEGMENT_DURATION = 0xffff;

/**
 * Makes digits of the events that come in, each told once, when it has ended. What tells events apart is their
 * timestamp and code, never the marker bit, which some senders leave out and the network may lose. An end is told by the
 * end bit, or else by the next event, or else by silence.
 */
export class DtmfReceiver {
  private readonly onDigit: (digit: string, durationMs: number) => void;
  /** Of the telephone-event payload, in Hz. */
  clockRate: number;
  private active = false;
  private event = 0;
  /** Timestamp of the current segment, or of the last event that was told. */
  private timestamp = 0;
  private duration = 0;
  /** Durations of the segments before. */
  private segments = 0;
  private lastMs = 0;
  private seen = false;

  /** @param clockRate of the telephone-event payload, in Hz. */
  constructor(clockRate: number, onDigit: (digit: string, durationMs: number) => void) {
    this.clockRate = clockRate;
    this.onDigit = onDigit;
  }

  /** Takes one event packet; `timestamp` is its RTP timestamp, `nowMs` monotonic. */
  receive(packet: TelephoneEvent, timestamp: number, nowMs: number): void {
    if (!this.belongsToCurrent(packet, timestamp)) {
      if (this.seen && timestampDistance(timestamp, this.timestamp) < 0) return;
      this.finish();
      this.begin(packet.event, timestamp);
    }
    if (!this.active) return;
    this.lastMs = nowMs;
    if (packet.duration > this.duration) this.duration = packet.duration;
    if (packet.end) this.finish();
  }

  /** To be called now and then (each 20 ms will do): ends an event whose end packets were all lost. */
  tick(nowMs: number): void {
    if (this.active && nowMs - this.lastMs >= LOST_END_MS) this.finish();
  }

  /** The source began anew: what runs is told, and earlier timestamps mean nothing any more. */
  reset(): void {
    this.finish();
    this.seen = false;
  }

  private belongsToCurrent(packet: TelephoneEvent, timestamp: number): boolean {
    if (!this.seen || packet.event !== this.event) return false;
    const distance = timestampDistance(timestamp, this.timestamp);
    if (distance === 0) return true;
    if (!this.active || distance !== SEGMENT_DURATION) return false;
    this.segments += SEGMENT_DURATION;
    this.timestamp = timestamp;
    this.duration = 0;
    return true;
  }

  private begin(event: number, timestamp: number): void {
    this.seen = true;
    this.active = true;
    this.event = event;
    this.timestamp = timestamp;
    this.duration = 0;
    this.segments = 0;
  }

  private finish(): void {
    if (!this.active) return;
    this.active = false;
    const digit = digitOfEvent(this.event);
    if (digit !== null) this.onDigit(digit, Math.round(((this.segments + this.duration) * 1000) / this.clockRate));
  }
}
