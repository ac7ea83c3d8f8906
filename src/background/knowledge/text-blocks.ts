import type { Block } from './chunking.ts';

/** Blocks of a text: empty lines separate paragraphs, headings are Markdown (`# …`). */
export function textBlocks(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  const close = (): void => {
    if (lines.length > 0) blocks.push({ kind: 'paragraph', text: lines.join('\n'), page: null });
    lines = [];
  };
  for (const line of text.split(/\r\n|\r|\n/)) {
    const heading = /^#{1,6} +(\S.*)$/.exec(line)?.[1];
    if (heading === undefined && line.trim() !== '') {
      lines.push(line.trimEnd());
      continue;
    }
    close();
    if (heading !== undefined) blocks.push({ kind: 'heading', text: heading, page: null });
  }
  close();
  return blocks;
}
