/** Places a time, in µs since 1970, on the time axis of a call: ms since its start, to a tenth. */
export type Axis = (us: number) => number;

export function axisFrom(startUs: number): Axis {
  return (us) => Math.round((us - startUs) / 100) / 10;
}
