/**
 * The payload of a telephone event (RFC 4733 §2.3).
 *
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *    |     event     |E|R| volume    |          duration             |
 *    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 */
export interface TelephoneEvent {
  /** 0–255; 0–15 are the DTMF digits `0`–`9`, `*`, `#`, `A`–`D`. */
  event: number;
  /** E: this packet gives the event's whole duration. */
  end: boolean;
  /** Level below 0 dBm0, 0–63 dB. */
  volume: number;
  /** In timestamp units since the event (or its segment) began, 0–65535. */
  duration: number;
}

export const TELEPHONE_EVENT_BYTES = 4;
const DIGITS = '0123456789*#ABCD';
const END_BIT = 0x80;

export function createTelephoneEvent(): TelephoneEvent {
  return { event: 0, end: false, volume: 0, duration: 0 };
}

/** Decodes a payload; false if it is too short. Bytes after the first four are ignored (packed events, §2.5.1.5). */
export function decodeTelephoneEvent(
  buffer: Uint8Array,
  offset: number,
  length: number,
  into: TelephoneEvent,
): boolean {
  if (length < TELEPHONE_EVENT_BYTES || offset + length > buffer.length) return false;
  into.event = buffer[offset] ?? 0;
  const flags = buffer[offset + 1] ?? 0;
  into.end = (flags & END_BIT) !== 0;
  into.volume = flags & 0x3f;
  into.duration = ((buffer[offset + 2] ?? 0) << 8) | (buffer[offset + 3] ?? 0);
  return true;
}

/** Writes four bytes from `into[offset]` on. */
export function encodeTelephoneEvent(into: Uint8Array, offset: number, event: TelephoneEvent): void {
  into[offset] = event.event;
  into[offset + 1] = (event.end ? END_BIT : 0) | (event.volume & 0x3f);
  into[offset + 2] = event.duration >>> 8;
  into[offset + 3] = event.duration;
}

/** The digit of an event code; null for other events (flash, fax tones …). */
export function digitOfEvent(event: number): string | null {
  return DIGITS[event] ?? null;
}

/** The event code of a digit (`a`–`d` too); null for other characters. */
export function eventOfDigit(digit: string): number | null {
  const code = digit.length === 1 ? DIGITS.indexOf(digit.toUpperCase()) : -1;
  return code === -1 ? null : code;
}
