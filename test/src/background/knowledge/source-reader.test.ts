import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { READING_BOUNDS, type ReadingBounds, readSource } from '../../../../src/background/knowledge/source-reader.ts';
import type { SourceType } from '../../../../src/storage/knowledge/knowledge-base-repository.ts';
import { temporaryFolder } from '../../storage/temporary-database.ts';
import { pdfOf, pdfOfStreams, stream, textPdf } from './pdf.ts';

const MIB = 1_048_576;
const HOURS = textPdf(
  [
    { text: 'Opening hours', size: 24, y: 700 },
    { text: 'We open at nine.', size: 12, y: 660 },
    { text: 'We close at six.', size: 12, y: 646 },
    { text: 'Parking is free.', size: 12, y: 560 },
  ],
  [
    { text: 'On Sundays we are closed.', size: 12, y: 700 },
    { text: 'Prices', size: 18, y: 640 },
    { text: 'A room is 90 euros.', size: 12, y: 610 },
  ],
);

async function read(bytes: Buffer | string, type: SourceType = 'file', bounds: Partial<ReadingBounds> = {}) {
  const path = join(await temporaryFolder(), 'source');
  await writeFile(path, bytes);
  return readSource({ path, type }, { ...READING_BOUNDS, ...bounds }, new AbortController().signal);
}

/** A stream of less than 1 MiB that decompresses to 900 MiB of spaces. */
const DECOMPRESSION_BOMB = stream(deflateSync(Buffer.alloc(900 * MIB, ' '), { level: 1 }), '/Filter /FlateDecode');

describe('reading a PDF', () => {
  it('returns its text in chunks along headings, paragraphs and pages', async () => {
    expect(await read(HOURS)).toEqual({
      type: 'read',
      chunks: [
        { page: 1, heading: 'Opening hours', content: 'We open at nine.\nWe close at six.\nParking is free.' },
        { page: 2, heading: 'Opening hours', content: 'On Sundays we are closed.' },
        { page: 2, heading: 'Prices', content: 'A room is 90 euros.' },
      ],
    });
  });

  it.each([
    ['is empty', Buffer.alloc(0), 'the file is empty'],
    ['is not a PDF', Buffer.from('Hello, this is a text.'), 'the file is not a PDF'],
    ['is truncated', HOURS.subarray(0, HOURS.length / 2), 'the PDF is truncated: its end is missing'],
    ['has pages without text, like a scan', pdfOfStreams([stream(Buffer.from('0 0 612 792 re f'))]), 'scanned'],
    [
      'has no page',
      pdfOf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 0 >>']),
      /no text|damaged/,
    ],
    ['contains only a header and an end marker', Buffer.from('%PDF-1.4\n%%EOF\n'), 'damaged'],
    [
      'contains noise between header and end marker',
      Buffer.from(`%PDF-1.7\n${'\u0000obj <<'.repeat(9_000)}\n%%EOF`),
      'damaged',
    ],
    [
      'requires a password',
      pdfOfStreams(
        [stream(Buffer.from('BT (secret) Tj ET'))],
        `/Encrypt << /Filter /Standard /V 1 /R 2 /P -44 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >> ` +
          `/ID [<${'43'.repeat(16)}> <${'43'.repeat(16)}>]`,
      ),
      'the PDF is encrypted: remove the password',
    ],
    [
      'has a page tree that contains itself',
      pdfOf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R] /Count 1 >>']),
      /damaged|no text/,
    ],
    [
      'declares more pages than the limit',
      pdfOf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 2000000000 >>']),
      /more than 2000 pages|damaged|no text/,
    ],
  ])('fails with a reason if it %s', async (_fault, bytes, reason) => {
    const outcome = await read(bytes);
    expect(outcome).toEqual({ type: 'failed', reason: expect.stringMatching(reason) });
  });

  it('fails at the memory limit, without crashing the service, if the document unpacks beyond it', async () => {
    const before = process.memoryUsage().rss;
    const outcome = await read(pdfOfStreams([DECOMPRESSION_BOMB]), 'file', { residentMib: 150 });
    expect(outcome).toEqual({ type: 'failed', reason: 'reading the source needs too much memory' });
    expect((process.memoryUsage().rss - before) / MIB).toBeLessThan(1_500);
  }, 60_000);

  it('fails at the heap limit if the document creates too many objects', async () => {
    const lines = '(abcdefgh ijk) Tj 0 -14 Td (lmnopqrs tuv) Tj 0 14 Td '.repeat(300_000);
    const shown = `BT /F1 12 Tf 72 700 Td ${lines} ET`;
    const outcome = await read(
      pdfOfStreams([stream(deflateSync(Buffer.from(shown)), '/Filter /FlateDecode')]),
      'file',
      {
        heapMib: 32,
        residentMib: 400,
      },
    );
    expect(outcome).toMatchObject({ type: 'failed', reason: expect.stringMatching(/memory|characters/) });
  }, 60_000);

  it('fails before a whole page is extracted if the page holds too much text', async () => {
    const lines = '(abcdefgh ijk lmnop) Tj 0 -14 Td (abcdefgh ijk lmnop) Tj 0 14 Td ';
    const shown = `BT /F1 12 Tf 72 700 Td ${lines.repeat((40 * MIB) / lines.length)} ET`;
    // The objects of the whole page exceed the heap limit of a reading.
    const outcome = await read(pdfOfStreams([stream(deflateSync(Buffer.from(shown)), '/Filter /FlateDecode')]));
    expect(outcome).toEqual({ type: 'failed', reason: 'the PDF contains more than 5242880 characters of text' });
  });

  it('fails at the timeout', async () => {
    const outcome = await read(pdfOfStreams([DECOMPRESSION_BOMB]), 'file', { timeoutMs: 400, residentMib: 10_000 });
    expect(outcome).toEqual({ type: 'failed', reason: 'reading the source took longer than 0.4 s' });
  }, 60_000);

  it('ends at once when the service stops', async () => {
    const stopping = new AbortController();
    const path = join(await temporaryFolder(), 'source');
    await writeFile(path, pdfOfStreams([DECOMPRESSION_BOMB]));
    const ended = readSource({ path, type: 'file' }, { ...READING_BOUNDS, residentMib: 10_000 }, stopping.signal);
    stopping.abort();
    expect(await ended).toEqual({ type: 'failed', reason: 'the service is stopping' });
  });
});

describe('reading a text', () => {
  it('returns chunks along headings and empty lines', async () => {
    const text = '# Hours\r\n\r\nNine to six.\nNot on Sundays.\r\n\r\nFree parking.\n## Prices\n90 euros.';
    expect(await read(text, 'text')).toEqual({
      type: 'read',
      chunks: [
        { page: null, heading: 'Hours', content: 'Nine to six.\nNot on Sundays.\nFree parking.' },
        { page: null, heading: 'Prices', content: '90 euros.' },
      ],
    });
  });

  it('fails if the text contains only white space', async () => {
    expect(await read(' \n\n \t', 'text')).toEqual({ type: 'failed', reason: 'the source contains no text' });
  });
});
