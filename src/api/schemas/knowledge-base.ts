import { z } from 'zod';
import { SOURCE_STATUSES, SOURCE_TYPES } from '../../storage/knowledge/knowledge-base-repository.ts';
import { givenId, idParams, timestamp } from './primitives.ts';

const NAME_LENGTH_MAX = 100;
const TITLE_LENGTH_MAX = 255;
export const SOURCES_MAX = 200;
export const TEXT_BYTES_MAX = 1_048_576;
/** Of one request: each is held in memory while it comes in, one after the other. */
export const FILES_MAX = 20;
/** Of the field `text_sources`, which is parsed as a whole on the main thread. */
export const TEXT_FIELD_BYTES_MAX = 4_194_304;

const EXAMPLE_ID = '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11';

export const knowledgeBaseBody = z
  .strictObject({ name: z.string().min(1).max(NAME_LENGTH_MAX).describe('For people, 1 to 100 characters.') })
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
    file_sources: {
      type: 'array',
      items: { type: 'string', format: 'binary' },
      maxItems: FILES_MAX,
      description: 'PDF files, each at most 20 MiB, at most 20 of them.',
    },
    text_sources: {
      type: 'string',
      maxLength: TEXT_FIELD_BYTES_MAX,
      description:
        'A JSON array of at most 200 objects with title (1 to 255 characters) and content (1 byte to 1 MiB); 4 MiB in all.',
    },
  },
  additionalProperties: false,
  examples: [{ text_sources: '[{"title": "Prices", "content": "A room is 90 euros."}]' }],
});

export const sourceIdsBody = z
  .strictObject({ source_ids: z.array(givenId).min(1).max(SOURCES_MAX).describe('Of its sources, 1 to 200.') })
  .meta({ examples: [{ source_ids: [EXAMPLE_ID] }] });

export const sourceParams = idParams.extend({ source_id: givenId.describe('Of the source.') });

const sourceSchema = z.object({
  id: z.uuid().describe('Its id.'),
  created_at: timestamp,
  file_name: z.string().describe('Of a text: its title.'),
  file_url: z.string().describe('Where its bytes are had, with the API key.'),
  type: z.enum(SOURCE_TYPES).describe('A PDF file, or a text.'),
  status: z.enum(SOURCE_STATUSES).describe('ingesting while it is being read; failed where it cannot be.'),
  error: z.string().nullable().describe('Why it failed; else null.'),
});

export const knowledgeBaseSchema = z
  .object({
    id: z.uuid().describe('Its id.'),
    name: z.string().describe('For people.'),
    created_at: timestamp,
    status: z
      .enum(SOURCE_STATUSES)
      .describe('ingesting: a source is still being read; failed: none of its sources could be read; else ready.'),
    error: z.string().nullable().describe('Of the first source that failed, where status is failed.'),
    organization_id: z.uuid().describe('Whose it is.'),
    sources: z.array(sourceSchema).describe('In the order in which they were added, at most 200.'),
  })
  .meta({
    id: 'KnowledgeBase',
    examples: [
      {
        id: EXAMPLE_ID,
        name: 'Opening hours and prices',
        created_at: '2026-03-02T09:00:00.000Z',
        status: 'ready',
        error: null,
        organization_id: '00000000-0000-4000-8000-000000000001',
        sources: [
          {
            id: '45c48cce-2e2d-4fbd-8a1a-fc51c7c6ad26',
            created_at: '2026-03-02T09:01:00.000Z',
            file_name: 'Prices',
            file_url: `https://calls.example.com/v1/knowledge-bases/${EXAMPLE_ID}/sources/45c48cce-2e2d-4fbd-8a1a-fc51c7c6ad26/file`,
            type: 'text',
            status: 'ready',
            error: null,
          },
        ],
      },
    ],
  });
