import { getDocumentProxy } from 'unpdf';
import type { Block } from './chunking.ts';

/** A source that cannot be read. The message is the `error` of the source in the API. */
export class UnreadableError extends Error {}

/** Pages per document. */
const PAGES_MAX = 2_000;
/** Characters per document, about 2,000 full pages. */
const TEXT_LENGTH_MAX = 5_242_880;
/** Text items (pieces of lines) per document: 200 on each of 2,000 pages. pdf.js extracts about 100,000 a second. */
const ITEMS_MAX = 400_000;
/** Bytes at both ends in which readers search the markers `%PDF-` and `%%EOF` (PDF 1.7, annex H, notes 13 and 18). */
const MARK_WITHIN = 1_024;
/** A line is a heading if its size exceeds the body size by this factor. */
const HEADING_SCALE = 1.15;
const HEADING_LENGTH_MAX = 200;
/** Lines further apart than this multiple of their size belong to two paragraphs. */
const PARAGRAPH_GAP = 1.8;
/** Log level of pdf.js: a hostile document would fill the log with warnings. */
const ERRORS_ONLY = 0;

interface Line {
  readonly text: string;
  readonly page: number;
  /** Font size, points. */
  readonly size: number;
  /** Baseline above the bottom of the page, points. */
  readonly y: number;
}

/** Extracts the text of a PDF in blocks with page numbers. Rejects with an `UnreadableError`. */
export async function pdfBlocks(bytes: Uint8Array): Promise<readonly Block[]> {
  checkMarks(bytes);
  const lines: Line[] = [];
  const budget = new TextBudget();
  const document = await opened(bytes);
  if (document.numPages > PAGES_MAX) throw new UnreadableError(`the PDF has more than ${PAGES_MAX} pages`);
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    lines.push(...(await linesOf(page, number, budget)));
    page.cleanup();
  }
  if (lines.length === 0)
    throw new UnreadableError('the PDF contains no text: it is empty, or contains scanned images only');
  return blocksOf(lines);
}

function checkMarks(bytes: Uint8Array): void {
  if (bytes.length === 0) throw new UnreadableError('the file is empty');
  const text = (part: Uint8Array): string => Buffer.from(part).toString('latin1');
  if (!text(bytes.subarray(0, MARK_WITHIN)).includes('%PDF-')) throw new UnreadableError('the file is not a PDF');
  if (!text(bytes.subarray(-MARK_WITHIN)).includes('%%EOF'))
    throw new UnreadableError('the PDF is truncated: its end is missing');
}

async function opened(bytes: Uint8Array) {
  try {
    return await getDocumentProxy(bytes, { verbosity: ERRORS_ONLY, disableFontFace: true });
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') {
      throw new UnreadableError('the PDF is encrypted: remove the password');
    }
    throw new UnreadableError('the PDF is damaged: its structure cannot be read');
  }
}

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof opened>>['getPage']>>;
type TextItem = Awaited<ReturnType<Page['getTextContent']>>['items'][number];

/**
 * The amount of text that may still be extracted from a document. A few KiB of PDF can hold a page of 40 MiB of text.
 */
class TextBudget {
  #characters = 0;
  #items = 0;

  /** @throws UnreadableError beyond the bounds */
  spend(item: TextItem): void {
    if ('str' in item) this.#characters += item.str.length;
    this.#items += 1;
    if (this.#characters > TEXT_LENGTH_MAX)
      throw new UnreadableError(`the PDF contains more than ${TEXT_LENGTH_MAX} characters of text`);
    if (this.#items > ITEMS_MAX) throw new UnreadableError(`the PDF contains more than ${ITEMS_MAX} pieces of text`);
  }
}

/** Reads the text of a page as a stream, so that reading ends at the bound and not after the page. */
async function linesOf(page: Page, number: number, budget: TextBudget): Promise<readonly Line[]> {
  const lines: Line[] = [];
  let text = '';
  let size = 0;
  let y = 0;
  const close = (): void => {
    const line = text.replace(/\s+/g, ' ').trim();
    if (line !== '') lines.push({ text: line, page: number, size, y });
    text = '';
    size = 0;
  };
  for await (const item of itemsOf(page)) {
    budget.spend(item);
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

async function* itemsOf(page: Page): AsyncGenerator<TextItem> {
  const parts: ReadableStream<{ readonly items: readonly TextItem[] }> = page.streamTextContent();
  for await (const part of parts) yield* part.items;
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

/** The most frequent font size, by characters. */
function bodySize(lines: readonly Line[]): number {
  const characters = new Map<number, number>();
  for (const { size, text } of lines) characters.set(size, (characters.get(size) ?? 0) + text.length);
  return [...characters].reduce((most, one) => (one[1] > most[1] ? one : most), [0, 0])[0];
}
