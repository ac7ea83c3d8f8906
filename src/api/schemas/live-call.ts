import { z } from 'zod';

const SAY_LENGTH_MAX = 1_000;
const CONTEXT_LENGTH_MAX = 10_000;
const DESTINATION_LENGTH_MAX = 1_000;

export const sayBody = z
  .strictObject({
    text: z.string().trim().min(1).max(SAY_LENGTH_MAX).describe('Text that the agent speaks, 1 to 1,000 characters.'),
    interrupt: z
      .boolean()
      .default(false)
      .describe('true: interrupt the current speech of the agent. false: wait until it has ended.'),
    interruptible: z
      .boolean()
      .default(true)
      .describe('false: the text is heard to its end. What the user says during it is answered afterwards.'),
  })
  .meta({ examples: [{ text: 'A colleague will join us in a minute.', interrupt: false }] });

export const transferBody = z
  .strictObject({
    destination: z
      .string()
      .trim()
      .min(1)
      .max(DESTINATION_LENGTH_MAX)
      .describe('E.164 number, or a `tel:` or `sip:` URI. It must be one that the organization may dial.'),
    mode: z
      .enum(['refer', 'bridge'])
      .default('refer')
      .describe(
        '`refer`: the user’s side calls the destination. `bridge`: we call it and connect both. A refused REFER is bridged.',
      ),
    ring_timeout: z
      .number()
      .min(5)
      .max(180)
      .default(30)
      .describe('Seconds that the destination may ring, 5 to 180. Then the transfer fails and the agent continues.'),
    announcement: z
      .string()
      .trim()
      .min(1)
      .max(SAY_LENGTH_MAX)
      .optional()
      .describe('Text that the agent speaks first, 1 to 1,000 characters. It is heard to its end.'),
  })
  .meta({ examples: [{ destination: '+4930123456', announcement: 'I connect you to a colleague.' }] });

export const contextBody = z
  .strictObject({
    content: z
      .string()
      .trim()
      .min(1)
      .max(CONTEXT_LENGTH_MAX)
      .describe('Information for the model, 1 to 10,000 characters.'),
  })
  .meta({ examples: [{ content: 'The payment has just arrived.' }] });

export const eventsHeaders = z.looseObject({
  'last-event-id': z.coerce
    .number('expected the id of an event: a whole number')
    .int()
    .min(0)
    .optional()
    .describe('`id` of the last event that the client received. The stream continues after it.'),
});
