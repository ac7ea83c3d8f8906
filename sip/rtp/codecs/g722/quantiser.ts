/** Decision levels of the lower band's 60 codes, by magnitude (G.722 table 5, Q6). */
const LEVELS = Int16Array.of(
  0,
  35,
  72,
  110,
  150,
  190,
  233,
  276,
  323,
  370,
  422,
  473,
  530,
  587,
  650,
  714,
  786,
  858,
  940,
  1_023,
  1_121,
  1_219,
  1_339,
  1_458,
  1_612,
  1_765,
  1_980,
  2_195,
  2_557,
  2_919,
);
/** The only decision level of the upper band (table 6, Q2). */
const HIGH_LEVEL = 564;

/** The values of the codes, by magnitude from the largest to the smallest, in units of the scale factor. */
const SIX_BIT_VALUES = [
  24_808, 21_904, 19_008, 16_704, 14_984, 13_512, 12_280, 11_192, 10_232, 9_360, 8_576, 7_856, 7_192, 6_576, 6_000,
  5_456, 4_944, 4_464, 4_008, 3_576, 3_168, 2_776, 2_400, 2_032, 1_688, 1_360, 1_040, 728,
];
const FOUR_BIT_VALUES = [20_456, 12_896, 8_968, 6_288, 4_240, 2_584, 1_200];
const WEIGHTS = [3_042, 1_198, 538, 334, 172, 58, -30];

/** Values by the six bits of a lower code (table 7, QQ6). No encoder uses the first four codes. */
const SIX_BITS = Int16Array.of(
  -136,
  -136,
  -136,
  -136,
  ...SIX_BIT_VALUES.map((value) => -value),
  ...SIX_BIT_VALUES,
  432,
  136,
  -432,
  -136,
);
/** Values by the upper four bits of a lower code (table 9, QQ4), for the predictors of both sides. */
const FOUR_BITS = Int16Array.of(0, ...FOUR_BIT_VALUES.map((value) => -value), ...FOUR_BIT_VALUES, 0);
/** Change of the logarithmic scale factor, by the upper four bits of a lower code (table 13, WL). */
const LOW_WEIGHTS = Int16Array.of(-60, ...WEIGHTS, ...WEIGHTS, -60);

/** Values and scale factor changes by the two bits of an upper code (table 8, QQ2, and table 13, WH). */
const TWO_BITS = Int16Array.of(-7_408, -1_616, 7_408, 1_616);
const HIGH_WEIGHTS = Int16Array.of(798, -214, 798, -214);

/** The six bits of a difference in the lower band (QUANTL). */
export function quantiseLow(difference: number, scale: number): number {
  const magnitude = difference >= 0 ? difference : -(difference + 1);
  let level = 1;
  while (level < LEVELS.length && magnitude >= ((LEVELS[level] ?? 0) * scale) >> 12) level++;
  if (difference >= 0) return 62 - level;
  // The two smallest negative magnitudes have the codes 63 and 62. The others count down from 31.
  return level <= 2 ? 64 - level : 34 - level;
}

/** The two bits of a difference in the upper band (QUANTH). */
export function quantiseHigh(difference: number, scale: number): number {
  const magnitude = difference >= 0 ? difference : -(difference + 1);
  const isLarge = magnitude >= (HIGH_LEVEL * scale) >> 12;
  if (difference >= 0) return isLarge ? 2 : 3;
  return isLarge ? 0 : 1;
}

/** The difference that a lower code adds to the signal (INVQBL). */
export function lowDifference(code: number, scale: number): number {
  return (scale * (SIX_BITS[code & 63] ?? 0)) >> 15;
}

/** The difference for the predictor, from the upper four bits only (INVQAL). */
export function coarseLowDifference(code: number, scale: number): number {
  return (scale * (FOUR_BITS[(code & 63) >> 2] ?? 0)) >> 15;
}

export function lowWeight(code: number): number {
  return LOW_WEIGHTS[(code & 63) >> 2] ?? 0;
}

/** INVQAH */
export function highDifference(code: number, scale: number): number {
  return (scale * (TWO_BITS[code & 3] ?? 0)) >> 15;
}

export function highWeight(code: number): number {
  return HIGH_WEIGHTS[code & 3] ?? 0;
}
