import { z } from 'zod';
import { SETTING_GROUPS } from '../../configuration/setting-texts.ts';

export const settingSchema = z
  .object({
    variable: z.string().describe('Environment variable that sets it.'),
    group: z.enum(SETTING_GROUPS).describe('Part of the service that it belongs to.'),
    description: z.string().describe('What it does.'),
    expected: z.string().describe('The values that it takes.'),
    default_value: z.string().nullable().describe('Value while it is not set. null: none.'),
    secret: z.boolean().describe('true: its value is not shown.'),
    set: z.boolean().describe('true: the environment or the `.env` file sets it.'),
    value: z.string().nullable().describe('Value that is set. null: not set, or a secret.'),
  })
  .meta({
    id: 'Setting',
    description: 'A setting of the service.',
    examples: [
      {
        variable: 'HTTP_PORT',
        group: 'http',
        description: 'Port of the HTTP API and this console.',
        expected: 'a port from 0 to 65535',
        default_value: '8080',
        secret: false,
        set: true,
        value: '8000',
      },
    ],
  });

export const findingSchema = z
  .object({
    verdict: z
      .enum(['ok', 'warning', 'fault'])
      .describe('`warning`: the service runs, but a feature does not work. `fault`: a start or calls fail.'),
    subject: z.string().describe('What was checked.'),
    text: z.string().describe('What was found. Names and messages of peers are as they came.'),
    remedy: z.string().nullable().describe('Suggested action. null: none is needed.'),
  })
  .meta({
    id: 'Finding',
    description: 'A finding of a check.',
    examples: [
      {
        verdict: 'fault',
        subject: 'openai',
        text: 'refuses the key (401)',
        remedy: 'set OPENAI_API_KEY to a valid key',
      },
    ],
  });
