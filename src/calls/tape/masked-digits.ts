import type { TapeEntry } from '../../../engine/tape/tape.ts';

/** Entries of a tape that wait for the end of keys; past them these stand there as they were pressed. */
const PENDING_ENTRIES_MAX = 1_000;

/**
 * Keys that spell a masked number are masked like it. They come one by one, and make a number only in what the rules order:
 * a tape that masked it there alone would not replay. So what happens from the first key on waits for the last.
 */
export class MaskedDigits {
  #pending: TapeEntry[] = [];
  readonly #masked: (text: string) => string;

  /** `masked` must keep the length of a text. */
  constructor(masked: (text: string) => string) {
    this.#masked = masked;
  }

  /** Gives what may be written now, in order. */
  take(entry: TapeEntry): readonly TapeEntry[] {
    if (this.#pending.length === 0 && entry.event.type !== 'media.dtmf') return [entry];
    this.#pending.push(entry);
    return endsDigits(entry) || this.#pending.length >= PENDING_ENTRIES_MAX ? this.end() : [];
  }

  /** Gives what still waits. */
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

/** The rules have taken the keys as one entry, or want none: after each key of an entry that goes on they wait for more. */
function endsDigits({ event, commands }: TapeEntry): boolean {
  const orders = (type: 'timer.start' | 'timer.stop') =>
    commands.some((command) => command.type === type && command.timer === 'dtmf_entry');
  return orders('timer.stop') || (event.type === 'media.dtmf' && !orders('timer.start'));
}
