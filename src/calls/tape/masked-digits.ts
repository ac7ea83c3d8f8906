import type { TapeEntry } from '../../../engine/tape/tape-format.ts';

/** Entries that may wait for the end of a DTMF entry; beyond it the digits are written unmasked. */
const PENDING_ENTRIES_MAX = 1_000;

/**
 * Masks DTMF digits that spell a masked number. Each digit is a separate event, and the rules act on the whole entry: with the number
 * masked in one of the two places alone, the tape would not replay. So all entries from the first digit on wait for the last.
 */
export class MaskedDigits {
  #pending: TapeEntry[] = [];
  readonly #masked: (text: string) => string;

  /** `masked` must keep the length of a text. */
  constructor(masked: (text: string) => string) {
    this.#masked = masked;
  }

  /** Returns the entries that may be written now, in order. */
  take(entry: TapeEntry): readonly TapeEntry[] {
    if (this.#pending.length === 0 && entry.event.type !== 'media.dtmf') return [entry];
    this.#pending.push(entry);
    return endsDigits(entry) || this.#pending.length >= PENDING_ENTRIES_MAX ? this.end() : [];
  }

  /** Returns the entries that still wait. */
  end(): readonly TapeEntry[] {
    const pending = this.#pending;
    this.#pending = [];
    const masked = this.#masked(pending.map(digitOf).join(''));
    let next = 0;
    return pending.map((entry) => {
      const { event } = entry;
      if (event.type !== 'media.dtmf') return entry;
      return { ...entry, event: { ...event, digit: masked[next++] ?? event.digit } };
    });
  }
}

function digitOf({ event }: TapeEntry): string {
  return event.type === 'media.dtmf' ? event.digit : '';
}

/** Whether the rules have taken the digits as one entry, or ignore them. After each digit of an unfinished entry they start a timer. */
function endsDigits({ event, commands }: TapeEntry): boolean {
  const orders = (type: 'timer.start' | 'timer.stop') =>
    commands.some((command) => command.type === type && command.timer === 'dtmf_entry');
  return orders('timer.stop') || (event.type === 'media.dtmf' && !orders('timer.start'));
}
