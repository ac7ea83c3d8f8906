import { z } from 'zod';
import { SOURCE_STATUSES, SOURCE_TYPES, SOURCES_MAX } from '../../storage/knowledge/knowledge-base-repository.ts';
import { pageQuery } from './pagination.ts';
import { createdAt, givenId, idParams } from './primitives.ts';

const NAME_LENGTH_MAX = 100;
const TITLE_LENGTH_MAX = 255;
const QUERY_LENGTH_MAX = 1_000;
export const TEXT_BYTES_MAX = 1_048_576;
/** Files of one request. They are written to the disk as they arrive, one at a time. */
export const FILES_MAX = 20;
/** Size of the field `text_sources`, which is parsed in one go on the main thread. */
export const TEXT_FIELD_BYTES_MAX = 4_194_304;

const EXAMPLE_ID = '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11';

export const knowledgeBaseBody = z
  .strictObject({ name: z.string().trim().min(1).max(NAME_LENGTH_MAX).describe('Display name, 1 to 100 characters.') })
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

/** For the document only: a multipart body is read as a stream, not validated by a schema. */
export const uploadBody = z.any().meta({
  type: 'object',
  properties: {
    file_sources: {
      type: 'array',
      items: { type: 'string', format: 'binary' },
      maxItems: FILES_MAX,
      description: 'PDF files: at most 20, each at most 20 MiB.',
    },
    text_sources: {
      type: 'string',
      maxLength: TEXT_FIELD_BYTES_MAX,
      description:
        'JSON array of at most 200 objects with `title` (1 to 255 characters) and `content` (at most 1 MiB), at most 4 MiB in total.',
    },
  },
  additionalProperties: false,
  examples: [{ text_sources: '[{"title": "Prices", "content": "A room is 90 euros."}]' }],
});

export const sourceIdsBody = z
  .strictObject({
    source_ids: z.array(givenId).min(1).max(SOURCES_MAX).describe('Identifiers of the sources to remove, 1 to 200.'),
  })
  .meta({ examples: [{ source_ids: [EXAMPLE_ID] }] });

export const sourceParams = idParams('the knowledge base').extend({
  source_id: givenId.describe('Identifier of the source.'),
});

const sourceStatus = z
  .enum(SOURCE_STATUSES)
  .meta({ id: 'SourceStatus', description: 'Status of a knowledge base or of one of its sources.' });

const sourceSchema = z
  .object({
    id: z.uuid().describe('Identifier of the source.'),
    created_at: createdAt,
    file_name: z.string().describe('File name of a PDF, title of a text.'),
    file_url: z.string().describe('URL of the source content. Requests need the API key.'),
    type: z.enum(SOURCE_TYPES).describe('file: a PDF. text: a text from `text_sources`.'),
    status: sourceStatus.describe('ingesting: being read. ready: searchable. failed: cannot be read, see `error`.'),
    error: z.string().nullable().describe('Cause of the failure. null unless `status` is `failed`.'),
  })
  .meta({ id: 'KnowledgeSource', description: 'A source of a knowledge base.' });

export const knowledgeBaseSchema = z
  .object({
    id: z.uuid().describe('Identifier of the knowledge base.'),
    name: z.string().describe('Display name.'),
    created_at: createdAt,
    status: sourceStatus.describe(
      'ingesting: at least one source is being read. failed: no source could be read. ready: otherwise.',
    ),
    error: z.string().nullable().describe('Error of the first source if `status` is `failed`. null otherwise.'),
    organization_id: z.uuid().describe('Organization that owns the knowledge base.'),
    sources: z.array(sourceSchema).describe('Sources in the order of their upload, at most 200.'),
  })
  .meta({
    id: 'KnowledgeBase',
    description: 'A knowledge base.',
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

export const knowledgeSearchQuery = z.strictObject({
  query: z.string().trim().min(1).max(QUERY_LENGTH_MAX).describe('Words or a question, 1 to 1,000 characters.'),
});

const CURSOR_TEXT = /^\d{1,15}$/;

export const sourceTextQuery = pageQuery.pick({ limit: true }).extend({
  cursor: z
    .string()
    .regex(CURSOR_TEXT, 'expected the next_cursor of a previous response')
    .transform(Number)
    .optional()
    .describe('`next_cursor` of the previous response.'),
});

const passageFields = {
  page: z.int().min(1).nullable().describe('Page, from 1. null in a source without pages.'),
  heading: z.string().describe('Heading above the passage. Empty without one.'),
  content: z.string().describe('Text of the passage.'),
};

export const sourceTextSchema = z.object(passageFields).meta({
  id: 'KnowledgeSourceText',
  description: 'A passage that was read from a source.',
  examples: [{ page: 2, heading: 'Rooms', content: 'A room is 90 euros.' }],
});

export const passageSchema = z
  .object({
    source_id: z.uuid().describe('Source of the passage.'),
    file_name: z.string().describe('File name of a PDF, title of a text.'),
    ...passageFields,
    score: z
      .number()
      .min(0)
      .max(1)
      .describe(
        'Rank score: 1 if the passage is the first of every ranking. Rankings: by words and, with an embedding model, by meaning. It ' +
          'compares the passages of one search only.',
      ),
  })
  .meta({
    id: 'KnowledgePassage',
    description: 'A passage that a search has found.',
    examples: [
      {
        source_id: '45c48cce-2e2d-4fbd-8a1a-fc51c7c6ad26',
        file_name: 'Prices',
        page: null,
        heading: 'Rooms',
        content: 'A room is 90 euros.',
        score: 1,
      },
    ],
  });
