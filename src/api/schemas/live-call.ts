import { z } from 'zod';

const SAY_LENGTH_MAX = 1_000;
const CONTEXT_LENGTH_MAX = 10_000;

export const sayBody = z
  .strictObject({
    text: z.string().trim().min(1).max(SAY_LENGTH_MAX).describe('What it says, at most 1,000 characters.'),
    interrupt: z.boolean().default(false).describe('true: the agent breaks off what it is saying.'),
  })
  .meta({ examples: [{ text: 'A colleague will join us in a minute.', interrupt: false }] });

export const contextBody = z
  .strictObject({
    content: z
      .string()
      .trim()
      .min(1)
      .max(CONTEXT_LENGTH_MAX)
      .describe('What it is to know, at most 10,000 characters.'),
  })
  .meta({ examples: [{ content: 'The payment has just arrived.' }] });

export const eventsHeaders = z.looseObject({
  'last-event-id': z.coerce
    .number('expected the id of an event, a whole number')
    .int()
    .min(0)
    .optional()
    .describe('Events up to this one are known already.'),
});
