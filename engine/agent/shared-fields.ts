import { z } from 'zod';

/** Fields that several parts of the schema share. Lengths in characters. */
export const NAME_LENGTH_MAX = 100;
export const FILLER_LENGTH_MAX = 1_000;

export const filler = z
  .string()
  .max(FILLER_LENGTH_MAX)
  .describe(
    'Sentence that the agent speaks while the action runs, at most 1,000 characters. May contain `{{variables}}`.',
  );
export const identifier = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z0-9_-]+$/, 'expected letters, digits, _ and - only')
  .describe('Name: letters, digits, `_` and `-`, 1 to 64 characters.');

export const fillerInterruptible = z
  .boolean()
  .describe(
    'false: `filler_sentence` is heard to its end. What the user says during it is answered afterwards. Default true.',
  );

export function description(lengthMax: number) {
  return z
    .string()
    .max(lengthMax)
    .default('')
    .describe(`Description for the model, at most ${lengthMax.toLocaleString('en')} characters.`);
}
