import { markdownPaths, readMarkdown } from './markdown.ts';
import { PRODUCT_ROOMS, SUPPORT_ROOMS, sourceFiles } from './source-file.ts';
import { plainWords } from './words.ts';

const GLOSSARY = 'docs/glossary.md';
const TERM_ROW = /^\| (?!term |---)([^|]+) \|/gm;

/** The terms of a glossary: a row can list several, separated by commas or semicolons. */
export function termsOf(glossary: string): string[] {
  return Array.from(glossary.matchAll(TERM_ROW), ([, terms = '']) => terms.replace(/\([^)]*\)/g, ''))
    .flatMap((terms) => terms.split(/[,;]/))
    .map(plainWords);
}

/** A use of a term: as prose, as a name like `orphanedCall`, in the singular or the plural. */
function useOf(term: string): RegExp {
  return new RegExp(`\\b${term.replaceAll(' ', '[\\W_]*')}`, 'i');
}

/** Terms of the glossary that no other file uses. */
export function unusedTerms(): string[] {
  const sources = sourceFiles([...PRODUCT_ROOMS, ...SUPPORT_ROOMS])
    .filter(({ path }) => !path.startsWith('test/structure/'))
    .map(({ text }) => text);
  const pages = markdownPaths()
    .filter((path) => path !== GLOSSARY)
    .map(readMarkdown);
  const texts = [...sources, ...pages];
  return termsOf(readMarkdown(GLOSSARY))
    .filter((term) => !texts.some((text) => useOf(term).test(text)))
    .map((term) => `${GLOSSARY}: no other file uses «${term}»`);
}
