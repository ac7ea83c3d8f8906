/** Tenths of a percent are shown. */
const STEPS = 1_000;

/** A share of 0 to 1 in the form of the language. Rounded down: only all is 100 %. */
export function percent(share: number, language: string): string {
  const shown = Math.floor(share * STEPS) / STEPS;
  return shown.toLocaleString(language, { style: 'percent', maximumFractionDigits: 1 });
}
