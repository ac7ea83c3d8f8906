import { createHash, type Hash, randomUUID } from 'node:crypto';
import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { discardSources, writeSource } from '../../background/knowledge/knowledge-file.ts';
import { freeBytes } from '../../storage/disk/free-bytes.ts';
import type { KnowledgeSource, SourceType } from '../../storage/knowledge/knowledge-base-repository.ts';
import { PLAIN_MESSAGES } from '../../validation/issue-message.ts';
import { ApiError, invalidField } from '../errors/api-error.ts';
import { unstorableTexts } from '../errors/unstorable-text.ts';
import { invalid, unstorableError, validationError } from '../errors/validation.ts';
import { FILES_MAX, TEXT_FIELD_BYTES_MAX, textSourcesSchema } from '../schemas/knowledge-base.ts';

const FILE_BYTES_MAX = 20_971_520;
/** `text_sources`, and one unknown field, so that it can be reported. */
const FIELDS_MAX = 2;
const NO_FILE = { field: 'file_sources', message: 'expected at least one file here or one text in text_sources' };
const NO_TEXT = { field: 'text_sources', message: 'expected at least one text here or one file in file_sources' };
export const FILE_TOO_LARGE = 'file_sources: a file is larger than 20 MiB';
export const NOT_MULTIPART = 'The Content-Type must be multipart/form-data';
/** Recordings and tapes stop at the same mark, so that the database can still be written. */
export const DISK_FULL = 'The disk of the service is nearly full: its operator must free space';
const DISK_RETRY_SECONDS = 600;
const NO_ARRAY = 'expected a JSON array';
const FILE_NAME_LENGTH_MAX = 255;
/** Bytes in which PDF readers search for the file signature (PDF 1.7, annex H, note 13). */
const PDF_MARK_WITHIN = 1_024;

export interface UploadedSources {
  readonly sources: readonly KnowledgeSource[];
  /** The request as JSON, with the hash of each file. Equal requests give equal texts. */
  readonly fingerprint: string;
}

type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface UploadTarget {
  readonly baseId: string;
  readonly dataDir: string;
  /** Free bytes of its disk below which nothing is written. */
  readonly diskLowWaterBytes: number;
  readonly nowMs: number;
}

/**
 * Writes the sources of a multipart request to disk. The database does not know them yet. Rejects with an `ApiError` for an invalid
 * source, after removing all files of the request.
 */
export async function readUpload(request: FastifyRequest, target: UploadTarget): Promise<UploadedSources> {
  const sources: KnowledgeSource[] = [];
  const contents: string[] = [];
  const keep = async (type: SourceType, fileName: string, pieces: Pieces): Promise<void> => {
    const source = newSource(target, type, fileName);
    const hash = createHash('sha256');
    sources.push(source);
    await writeSource(target.dataDir, source, hashed(whileDiskHasRoom(pieces, target), hash));
    contents.push(JSON.stringify([type, fileName, hash.digest('hex')]));
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
      if (part.type === 'file') await keep('file', fileNameOf(part), pdfPieces(part));
      else {
        const texts = textSources(part);
        if (hasTexts) throw invalidField('text_sources', 'expected only once');
        hasTexts = true;
        for (const { title, content } of texts) await keep('text', title, [Buffer.from(content)]);
      }
    }
    if (sources.length === 0) throw invalid([NO_FILE, NO_TEXT]);
    return { sources, fingerprint: `[${contents}]` };
  } catch (error) {
    await discardSources(target.dataDir, sources);
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

/** The pieces while the disk has room for them. Throws an `ApiError` below the low-water mark. */
async function* whileDiskHasRoom(
  pieces: Pieces,
  { dataDir, diskLowWaterBytes }: Pick<UploadTarget, 'dataDir' | 'diskLowWaterBytes'>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    if ((await freeBytes(dataDir)) < diskLowWaterBytes + piece.length)
      throw new ApiError('unavailable', { message: DISK_FULL, retryAfterSeconds: DISK_RETRY_SECONDS });
    yield piece;
  }
}

async function* hashed(pieces: Pieces, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

/**
 * A PDF in the pieces in which it arrives. It is read to its end also after a fault: an unread part holds up the rest of the request.
 * An empty file is accepted and then fails as a source, like any unreadable PDF. Throws an `ApiError` at the end.
 */
async function* pdfPieces(part: MultipartFile): AsyncGenerator<Uint8Array> {
  if (part.fieldname !== 'file_sources') throw invalidField(part.fieldname, 'Unknown field');
  let start = Buffer.alloc(0);
  const isPdf = (): boolean => start.includes('%PDF-');
  for await (const piece of part.file as AsyncIterable<Buffer>) {
    start = Buffer.concat([start, piece.subarray(0, PDF_MARK_WITHIN - start.length)]);
    if (start.length < PDF_MARK_WITHIN || isPdf()) yield piece;
  }
  if (part.file.truncated) throw new ApiError('body_too_large', { message: FILE_TOO_LARGE });
  if (start.length > 0 && !isPdf())
    throw invalidField('file_sources', `${fileNameOf(part)}: only PDF files are supported`);
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
    throw invalidField('text_sources', NO_ARRAY);
  }
  const read = textSourcesSchema.safeParse(json, PLAIN_MESSAGES);
  if (!read.success) {
    throw validationError(read.error.issues.map((issue) => ({ ...issue, path: ['text_sources', ...issue.path] })));
  }
  const unstorable = unstorableTexts(read.data, ['text_sources']);
  if (unstorable.length > 0) throw unstorableError(unstorable);
  return read.data;
}

function uploadError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  switch (code) {
    case 'FST_REQ_FILE_TOO_LARGE':
      return new ApiError('body_too_large', { message: FILE_TOO_LARGE });
    case 'FST_FILES_LIMIT':
    case 'FST_PARTS_LIMIT':
      return invalidField('file_sources', `expected at most ${FILES_MAX} files per request`);
    case 'FST_FIELDS_LIMIT':
      return invalidField('text_sources', 'expected only once, without other fields');
    // The part has the content type of JSON.
    case 'FST_INVALID_JSON_FIELD_ERROR':
      return invalidField('text_sources', NO_ARRAY);
    case 'FST_INVALID_MULTIPART_CONTENT_TYPE':
      return new ApiError('media_type', { message: NOT_MULTIPART });
    default:
      return error instanceof ApiError || !isMalformed(error)
        ? error
        : new ApiError('bad_request', { message: 'The body is not valid multipart/form-data' });
  }
}

/** Errors of busboy for malformed bodies have no code. */
function isMalformed(error: unknown): boolean {
  return error instanceof Error && /multipart|unexpected end of (form|file)|malformed/i.test(error.message);
}
