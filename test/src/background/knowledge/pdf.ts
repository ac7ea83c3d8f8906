import { deflateSync } from 'node:zlib';

export interface PdfLine {
  readonly text: string;
  /** Font size in points. */
  readonly size: number;
  /** Distance from the bottom of the page, in points. */
  readonly y: number;
}

/** A PDF 1.4 of numbered objects, with cross-reference table and trailer. */
export function pdfOf(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const push = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    push(Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]));
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\n`;
  return Buffer.concat([...parts, Buffer.from(`${end}startxref\n${length}\n%%EOF\n`)]);
}

export function stream(content: Buffer, dictionary = ''): Buffer {
  const head = Buffer.from(`<< /Length ${content.length} ${dictionary} >>\nstream\n`);
  return Buffer.concat([head, content, Buffer.from('\nendstream')]);
}

/** A document with one content stream per page. */
export function pdfOfStreams(streams: readonly Buffer[], trailer = ''): Buffer {
  const kids = streams.map((_, index) => `${4 + index * 2} 0 R`).join(' ');
  const pages = streams.flatMap((content, index) => [
    Buffer.from(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + index * 2} 0 R ` +
        '/Resources << /Font << /F1 3 0 R >> >> >>',
    ),
    content,
  ]);
  return pdfOf(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Type /Pages /Kids [${kids}] /Count ${streams.length} >>`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      ...pages,
    ],
    trailer,
  );
}

/** A document of pages with lines of text. */
export function textPdf(...pages: readonly (readonly PdfLine[])[]): Buffer {
  return pdfOfStreams(
    pages.map((lines) => {
      const shown = lines.map(({ text, size, y }) => `BT /F1 ${size} Tf 72 ${y} Td (${text}) Tj ET`).join('\n');
      return stream(deflateSync(Buffer.from(shown)), '/Filter /FlateDecode');
    }),
  );
}
