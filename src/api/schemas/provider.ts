import { z } from 'zod';

export const PROVIDER_KINDS = ['transcriber', 'llm', 'voice'] as const;

const voice = z.object({
  name: z.string().describe("The voice's `name` in an agent."),
  label: z.string().nullable().describe('Name for people. null: none beside `name`.'),
  language: z.string().nullable().describe('Language as the provider writes it. null: several, or unknown.'),
});

export const providerSchema = z
  .object({
    provider: z.string().describe('Its name in an agent.'),
    kind: z.enum(PROVIDER_KINDS).describe('The part of an agent that it serves.'),
    circuit_open: z
      .boolean()
      .describe(
        'true: it failed several times in a row and is not asked for some seconds, by one process of one node at least.',
      ),
    status: z
      .enum(['listed', 'unlisted', 'failed'])
      .describe(
        '`unlisted`: the provider cannot name its models and voices. `failed`: it did not answer; it is asked again after 30 s.',
      ),
    models: z.array(z.string()).describe('Models of this kind, at most 1,000, by their names in an agent.'),
    voices: z.array(voice).describe('Voices, at most 1,000. Empty for other kinds.'),
  })
  .meta({
    id: 'Provider',
    description: 'A configured provider.',
    examples: [
      {
        provider: 'cartesia',
        kind: 'voice',
        circuit_open: false,
        status: 'listed',
        models: [],
        voices: [{ name: 'a0e99841-438c-4a64-b679-ae501e7d6091', label: 'Lisa', language: 'en' }],
      },
    ],
  });
