import { readFile } from 'node:fs/promises';
import type { SourceType } from '../../storage/knowledge/knowledge-base-repository.ts';
import type { KnowledgeChunk } from '../../storage/knowledge/knowledge-chunk.ts';
import { serveJobs } from '../job-process/serve-jobs.ts';
import { chunksOf } from './chunking.ts';
import { pdfBlocks, UnreadableError } from './pdf-blocks.ts';
import { textBlocks } from './text-blocks.ts';

export interface ReadingJob {
  readonly path: string;
  readonly type: SourceType;
}

export type Reading =
  | { readonly type: 'read'; readonly chunks: readonly KnowledgeChunk[] }
  | { readonly type: 'failed'; readonly reason: string };

async function read({ path, type }: ReadingJob): Promise<Reading> {
  try {
    const bytes = new Uint8Array(await readFile(path));
    const blocks = type === 'file' ? await pdfBlocks(bytes) : textBlocks(Buffer.from(bytes).toString('utf8'));
    const chunks = chunksOf(blocks);
    return chunks.length === 0 ? { type: 'failed', reason: 'the source contains no text' } : { type: 'read', chunks };
  } catch (error) {
    if (error instanceof UnreadableError) return { type: 'failed', reason: error.message };
    return { type: 'failed', reason: 'the source is damaged and cannot be read' };
  }
}

serveJobs(read);
