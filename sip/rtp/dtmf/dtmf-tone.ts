import { COLUMNS_HZ, KEYPAD_DIGITS, ROWS_HZ } from './keypad.ts';
import { digitOfEvent } from './telephone-event.ts';

/** Amplitude of each frequency: −12 dBm0, in the middle of the range that receivers must accept (ITU-T Q.24). */
const LEVEL = 5_700;

/** Generates the tone of a DTMF digit. */
export class DtmfTone {
  #event = -1;
  #samples = 0;

  /** Writes the next `count` samples of an event's tone. The same event continues in phase. Allocates nothing. */
  fill(event: number, out: Int16Array, count: number, rateHz: number): void {
    if (event !== this.#event) this.#samples = 0;
    this.#event = event;
    const place = KEYPAD_DIGITS.indexOf(digitOfEvent(event) ?? '');
    const row = (2 * Math.PI * (ROWS_HZ[place >> 2] ?? 0)) / rateHz;
    const column = (2 * Math.PI * (COLUMNS_HZ[place & 3] ?? 0)) / rateHz;
    for (let i = 0; i < count; i++, this.#samples++) {
      out[i] = Math.round(LEVEL * (Math.sin(row * this.#samples) + Math.sin(column * this.#samples)));
    }
  }
}
