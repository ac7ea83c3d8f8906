/** A telephone's keypad: each digit is its row's and its column's tone at once, in Hz (ITU-T Q.23). */
export const ROWS_HZ = [697, 770, 852, 941] as const;
export const COLUMNS_HZ = [1209, 1336, 1477, 1633] as const;
/** Row by row. */
export const KEYPAD_DIGITS: readonly string[] = [
  '1',
  '2',
  '3',
  'A',
  '4',
  '5',
  '6',
  'B',
  '7',
  '8',
  '9',
  'C',
  '*',
  '0',
  '#',
  'D',
];
