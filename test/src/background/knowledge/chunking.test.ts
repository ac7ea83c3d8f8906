import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, chunksOf } from '../../../../src/background/knowledge/chunking.ts';

const paragraph = (text: string, page: number | null = null): Block => ({ kind: 'paragraph', text, page });
const block = fc.record({
  kind: fc.constantFrom('heading' as const, 'paragraph' as const),
  text: fc.string({ maxLength: 3_000 }),
  page: fc.constantFrom(null, 1, 2),
});

describe('chunks', () => {
  it('are cut between sentences, else between words, else anywhere', () => {
    const sentences = 'This is a sentence of some length. '.repeat(60);
    for (const { content } of chunksOf([paragraph(sentences)])) expect(content).toMatch(/\.$/);
    for (const { content } of chunksOf([paragraph('wordy '.repeat(400))])) expect(content).toMatch(/^wordy.*wordy$/);
    expect(chunksOf([paragraph('x'.repeat(2_500))]).map(({ content }) => content.length)).toEqual([1_000, 1_000, 500]);
  });

  it('lose no letter, are never empty, never too long, and never span pages', () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 12 }), (blocks) => {
        const chunks = chunksOf(blocks);
        const letters = (text: string) => text.replace(/\s/g, '');
        const paragraphs = blocks.filter(({ kind }) => kind === 'paragraph');
        expect(letters(chunks.map(({ content }) => content).join(''))).toBe(
          letters(paragraphs.map(({ text }) => text).join('')),
        );
        for (const { content } of chunks) {
          expect(content.trim()).not.toBe('');
          expect(content.length).toBeLessThanOrEqual(1_000);
        }
      }),
    );
  });
});
