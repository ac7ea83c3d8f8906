import { z } from 'zod';
import { SOURCE_STATUSES, SOURCE_TYPES } from '../../storage/knowledge-base-repository.ts';
import { idParams, timestamp } from './primitives.ts';

const NAME_LENGTH_MAX = 100;
const TITLE_LENGTH_MAX = 255;
export const SOURCES_MAX = 200;
export const TEXT_BYTES_MAX = 1_048_576;

const EXAMPLE_ID = '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11';

export const knowledgeBaseBody = z
  .strictObject({ name: z.string().min(1).max(NAME_LENGTH_MAX) })
  .meta({ examples: [{ name: 'Opening hours and prices' }] });

export const textSourcesSchema = z
  .array(
    z.strictObject({
      title: z.string().min(1).max(TITLE_LENGTH_MAX),
      content: z
        .string()
        .min(1)
        .refine((text) => Buffer.byteLength(text) <= TEXT_BYTES_MAX, `expected at most ${TEXT_BYTES_MAX} bytes`),
    }),
  )
  .max(SOURCES_MAX);

/** For the document only: a multipart body is read as it comes, not by a schema. */
export const uploadBody = z.any().meta({
  type: 'object',
  properties: {
    file_sources: { type: 'array', items: { type: 'string', format: 'binary' }, description: 'PDF files.' },
    text_sources: { type: 'string', description: 'A JSON array of objects with title and content.' },
  },
  examples: [{ text_sources: '[{"title": "Prices", "content": "A room is 90 euros."}]' }],
});

export const sourceIdsBody = z
  .strictObject({ source_ids: z.array(z.uuid()).min(1).max(SOURCES_MAX) })
  .meta({ examples: [{ source_ids: [EXAMPLE_ID] }] });

export const sourceParams = idParams.extend({ source_id: z.uuid() });

const sourceSchema = z.object({
  id: z.uuid(),
  created_at: timestamp,
  file_name: z.string().describe('Of a text: its title.'),
  file_url: z.string().describe('Where its bytes are had, with the API key.'),
  type: z.enum(SOURCE_TYPES),
  status: z.enum(SOURCE_STATUSES),
  error: z.string().nullable().describe('Why it failed.'),
});

export const knowledgeBaseSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  created_at: timestamp,
  status: z
    .enum(SOURCE_STATUSES)
    .describe('ingesting: a source is still being read; failed: none of its sources could be read; else ready.'),
  error: z.string().nullable().describe('Of the first source that failed, where status is failed.'),
  organization_id: z.uuid(),
  sources: z.array(sourceSchema),
});
