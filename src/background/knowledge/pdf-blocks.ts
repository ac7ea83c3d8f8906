import { getDocumentProxy } from 'unpdf';
import type { Block } from './chunking.ts';

/** A source that cannot be read, and why, in words for the client. */
export class UnreadableError extends Error {}

/** Of one document; a longer one is a library. */
const PAGES_MAX = 2_000;
/** Characters of one document, some 2,000 full pages. */
const TEXT_LENGTH_MAX = 5_242_880;
/** Readers take a document whose marks stand this far from its ends (PDF 1.7, annex H, notes 13 and 18), in bytes. */
const MARK_WITHIN = 1_024;
/** A line this much larger than the body's is a heading. */
const HEADING_SCALE = 1.15;
const HEADING_LENGTH_MAX = 200;
/** Of the line's own size: lines further apart belong to two paragraphs. */
const PARAGRAPH_GAP = 1.8;
/** Of pdf.js: a hostile document would fill the log with warnings. */
const ERRORS_ONLY = 0;

interface Line {
  readonly text: string;
  readonly page: number;
  /** Of the type, in points. */
  readonly size: number;
  /** Of the base line, from the page's foot, in points. */
  readonly y: number;
}

/** The text of a PDF in blocks with their pages. Rejects with an `UnreadableError` where there is none to be had. */
export async function pdfBlocks(bytes: Uint8Array): Promise<readonly Block[]> {
  checkMarks(bytes);
  const lines: Line[] = [];
  let length = 0;
  const document = await opened(bytes);
  if (document.numPages > PAGES_MAX) throw new UnreadableError(`it has more than ${PAGES_MAX} pages`);
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    for (const line of linesOf(items, number)) {
      length += line.text.length;
      if (length > TEXT_LENGTH_MAX) throw new UnreadableError(`it has more than ${TEXT_LENGTH_MAX} characters of text`);
      lines.push(line);
    }
    page.cleanup();
  }
  if (lines.length === 0) throw new UnreadableError('it holds no text: it is empty, or scanned images without text');
  return blocksOf(lines);
}

function checkMarks(bytes: Uint8Array): void {
  if (bytes.length === 0) throw new UnreadableError('it is empty');
  const text = (part: Uint8Array): string => Buffer.from(part).toString('latin1');
  if (!text(bytes.subarray(0, MARK_WITHIN)).includes('%PDF-')) throw new UnreadableError('it is not a PDF');
  if (!text(bytes.subarray(-MARK_WITHIN)).includes('%%EOF'))
    throw new UnreadableError('it is cut off: its end is missing');
}

async function opened(bytes: Uint8Array) {
  try {
    return await getDocumentProxy(bytes, { verbosity: ERRORS_ONLY, disableFontFace: true });
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') {
      throw new UnreadableError('it is encrypted: it asks for a password');
    }
    throw new UnreadableError('it is damaged: its structure cannot be read');
  }
}

type Items = Awaited<
  ReturnType<Awaited<ReturnType<Awaited<ReturnType<typeof opened>>['getPage']>>['getTextContent']>
>['items'];

function linesOf(items: Items, page: number): readonly Line[] {
  const lines: Line[] = [];
  let text = '';
  let size = 0;
  let y = 0;
  const close = (): void => {
    const line = text.replace(/\s+/g, ' ').trim();
    if (line !== '') lines.push({ text: line, page, size, y });
    text = '';
    size = 0;
  };
  for (const item of items) {
    if (!('str' in item)) continue;
    const itemY = Number(item.transform[5]);
    if (text !== '' && item.str !== '' && Math.abs(itemY - y) > Math.max(item.height, size) / 2) close();
    if (item.str !== '') {
      text += item.str;
      size = Math.max(size, item.height);
      y = itemY;
    }
    if (item.hasEOL) close();
  }
  close();
  return lines;
}

function blocksOf(lines: readonly Line[]): readonly Block[] {
  const body = bodySize(lines);
  const blocks: { kind: Block['kind']; text: string; page: number }[] = [];
  let before: Line | null = null;
  for (const line of lines) {
    const isHeading = line.size > body * HEADING_SCALE && line.text.length <= HEADING_LENGTH_MAX;
    const last = blocks.at(-1);
    const goesOn =
      before !== null &&
      before.page === line.page &&
      before.size === line.size &&
      Math.abs(before.y - line.y) <= line.size * PARAGRAPH_GAP;
    if (last !== undefined && goesOn) last.text += isHeading ? ` ${line.text}` : `\n${line.text}`;
    else blocks.push({ kind: isHeading ? 'heading' : 'paragraph', text: line.text, page: line.page });
    before = line;
  }
  return blocks;
}

/** The size that most characters have. */
function bodySize(lines: readonly Line[]): number {
  const characters = new Map<number, number>();
  for (const { size, text } of lines) characters.set(size, (characters.get(size) ?? 0) + text.length);
  return [...characters].reduce((most, one) => (one[1] > most[1] ? one : most), [0, 0])[0];
}
