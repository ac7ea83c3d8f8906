const ROWS_HZ = [697, 770, 852, 941] as const;
const COLUMNS_HZ = [1209, 1336, 1477, 1633] as const;
const KEYS = ['123A', '456B', '789C', '*0#D'] as const;
const TONE_MS = 100;
const PAUSE_MS = 100;
const LEVEL = 6_000;

/** DTMF tones (ITU-T Q.23) at 8 kHz, each followed by the same duration of silence. */
export function dtmfTones(digits: string): Int16Array {
  const step = (TONE_MS + PAUSE_MS) * 8;
  const samples = new Int16Array(digits.length * step);
  for (const [place, digit] of [...digits].entries()) {
    const row = KEYS.findIndex((keys) => keys.includes(digit));
    const column = KEYS[row]?.indexOf(digit) ?? -1;
    const low = ROWS_HZ[row];
    const high = COLUMNS_HZ[column];
    if (low === undefined || high === undefined) throw new Error(`no DTMF digit: ${digit}`);
    for (let i = 0; i < TONE_MS * 8; i++) {
      const radiansPerHz = (2 * Math.PI * i) / 8_000;
      samples[place * step + i] = Math.round(LEVEL * (Math.sin(low * radiansPerHz) + Math.sin(high * radiansPerHz)));
    }
  }
  return samples;
}
