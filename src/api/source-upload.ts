import { createHash, randomUUID } from 'node:crypto';
import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { dropSources, keepSource } from '../knowledge/source-file.ts';
import type { KnowledgeSource, SourceType } from '../storage/knowledge/knowledge-base-repository.ts';
import { ApiError, invalidField } from './api-error.ts';
import { FILES_MAX, TEXT_FIELD_BYTES_MAX, textSourcesSchema } from './schemas/knowledge-base.ts';
import { invalid, validationError } from './validation.ts';

const FILE_BYTES_MAX = 20_971_520;
/** `text_sources`, and one that is told to be unknown. */
const FIELDS_MAX = 2;
const NO_FILE = { field: 'file_sources', message: 'expected a file, or a text in text_sources' };
const NO_TEXT = { field: 'text_sources', message: 'expected a text, or a file in file_sources' };
const TOO_LARGE = 'file_sources: a file is larger than 20 MiB';
const FILE_NAME_LENGTH_MAX = 255;
/** Readers look for a PDF's mark this far in (PDF 1.7, annex H, note 13), bytes. */
const PDF_MARK_WITHIN = 1_024;

export interface TakenSources {
  readonly sources: readonly KnowledgeSource[];
  /** What was sent, as JSON, each file by its hash: two requests that say the same have the same text. */
  readonly said: string;
}

export interface UploadTarget {
  readonly baseId: string;
  readonly dataDir: string;
  readonly nowMs: number;
}

/**
 * Takes the sources of a multipart request onto the disk, none of them stored yet. Rejects with an `ApiError` where one is not
 * what it has to be; nothing of the request is left on the disk then.
 */
export async function takeSources(request: FastifyRequest, target: UploadTarget): Promise<TakenSources> {
  const sources: KnowledgeSource[] = [];
  const said: string[] = [];
  const keep = async (type: SourceType, fileName: string, bytes: Uint8Array): Promise<void> => {
    const source = newSource(target, type, fileName);
    sources.push(source);
    said.push(JSON.stringify([type, fileName, createHash('sha256').update(bytes).digest('hex')]));
    await keepSource(target.dataDir, source, bytes);
  };
  try {
    const limits = {
      fileSize: FILE_BYTES_MAX,
      files: FILES_MAX,
      fieldSize: TEXT_FIELD_BYTES_MAX,
      fields: FIELDS_MAX,
      parts: FILES_MAX + FIELDS_MAX,
    };
    let hasTexts = false;
    for await (const part of request.parts({ limits })) {
      if (part.type === 'file') await keep('file', fileNameOf(part), await pdfBytes(part));
      else {
        const texts = textSources(part);
        if (hasTexts) throw invalidField('text_sources', 'expected once');
        hasTexts = true;
        for (const { title, content } of texts) await keep('text', title, Buffer.from(content));
      }
    }
    if (sources.length === 0) throw invalid([NO_FILE, NO_TEXT]);
    return { sources, said: `[${said}]` };
  } catch (error) {
    await dropSources(target.dataDir, sources);
    throw uploadError(error);
  }
}

function newSource({ baseId, nowMs }: UploadTarget, type: SourceType, fileName: string): KnowledgeSource {
  const id = randomUUID();
  return {
    id,
    knowledgeBaseId: baseId,
    type,
    fileName,
    status: 'ingesting',
    error: null,
    attempts: 0,
    createdMs: nowMs,
  };
}

/** An empty file is taken: it fails as a source, like every other that cannot be read. */
async function pdfBytes(part: MultipartFile): Promise<Buffer> {
  if (part.fieldname !== 'file_sources') throw invalidField(part.fieldname, 'Unknown field');
  const bytes = await part.toBuffer();
  // `toBuffer` looks only where a chunk follows the cut.
  if (part.file.truncated) throw new ApiError('body_too_large', { message: TOO_LARGE });
  const isPdf = bytes.subarray(0, PDF_MARK_WITHIN).includes('%PDF-');
  if (bytes.length > 0 && !isPdf)
    throw invalidField('file_sources', `${fileNameOf(part)}: only PDF files are supported`);
  return bytes;
}

function fileNameOf({ filename }: MultipartFile): string {
  return (filename ?? '').slice(-FILE_NAME_LENGTH_MAX) || 'unnamed.pdf';
}

function textSources(part: MultipartValue) {
  if (part.fieldname !== 'text_sources') throw invalidField(part.fieldname, 'Unknown field');
  if (part.valueTruncated === true)
    throw new ApiError('body_too_large', { message: 'text_sources: larger than 4 MiB' });
  const value: unknown = part.value;
  let json: unknown = value;
  try {
    if (typeof value === 'string') json = JSON.parse(value);
  } catch {
    throw invalidField('text_sources', 'expected a JSON array');
  }
  const read = textSourcesSchema.safeParse(json);
  if (!read.success) {
    throw validationError(read.error.issues.map((issue) => ({ ...issue, path: ['text_sources', ...issue.path] })));
  }
  return read.data;
}

function uploadError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  switch (code) {
    case 'FST_REQ_FILE_TOO_LARGE':
      return new ApiError('body_too_large', { message: TOO_LARGE });
    case 'FST_FILES_LIMIT':
    case 'FST_PARTS_LIMIT':
      return invalidField('file_sources', `expected at most ${FILES_MAX} files in a request`);
    case 'FST_FIELDS_LIMIT':
      return invalidField('text_sources', 'expected once, and no other field');
    case 'FST_INVALID_MULTIPART_CONTENT_TYPE':
      return new ApiError('media_type', { message: 'The body must be multipart/form-data' });
    default:
      return error instanceof ApiError || !isMalformed(error)
        ? error
        : new ApiError('bad_request', { message: 'The body is not valid multipart/form-data' });
  }
}

/** What busboy throws at a body that breaks its format has no code of its own. */
function isMalformed(error: unknown): boolean {
  return error instanceof Error && /multipart|unexpected end of (form|file)|malformed/i.test(error.message);
}
