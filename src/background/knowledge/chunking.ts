import type { KnowledgeChunk } from '../../storage/knowledge/knowledge-chunk.ts';

/** A heading or paragraph of a source. */
export interface Block {
  readonly kind: 'heading' | 'paragraph';
  readonly text: string;
  /** From 1. null: the source has no pages. */
  readonly page: number | null;
}

/** Characters, about 250 tokens: five passages cost a model little time. */
const CHUNK_LENGTH_MAX = 1_000;
const HEADING_LENGTH_MAX = 200;

/**
 * Splits a source into chunks along its structure. Paragraphs under one heading and on one page are joined while they fit. A longer
 * paragraph is cut between sentences, otherwise between words. No chunk spans two pages or headings.
 */
export function chunksOf(blocks: readonly Block[]): readonly KnowledgeChunk[] {
  const chunks: KnowledgeChunk[] = [];
  let heading = '';
  let open: { page: number | null; parts: string[]; length: number } | null = null;
  const close = (): void => {
    if (open !== null) chunks.push({ page: open.page, heading, content: open.parts.join('\n') });
    open = null;
  };
  for (const block of blocks) {
    const text = block.text.trim();
    if (text === '') continue;
    if (block.kind === 'heading') {
      close();
      heading = text.slice(0, HEADING_LENGTH_MAX);
      continue;
    }
    for (const piece of piecesOf(text)) {
      if (open === null || open.page !== block.page || open.length + piece.length + 1 > CHUNK_LENGTH_MAX) {
        close();
        open = { page: block.page, parts: [], length: 0 };
      }
      open.parts.push(piece);
      open.length += piece.length + 1;
    }
  }
  close();
  return chunks;
}

function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > CHUNK_LENGTH_MAX) {
    const head = rest.slice(0, CHUNK_LENGTH_MAX);
    const sentenceEnd = Math.max(
      head.lastIndexOf('. '),
      head.lastIndexOf('? '),
      head.lastIndexOf('! '),
      head.lastIndexOf('\n'),
    );
    const cut = sentenceEnd > 0 ? sentenceEnd + 1 : Math.max(head.lastIndexOf(' '), 0) || CHUNK_LENGTH_MAX;
    pieces.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut).trim();
  }
  return rest === '' ? pieces : [...pieces, rest];
}
