import { dirname } from 'node:path';
import { markdownPaths, readMarkdown, withoutCodeBlocks } from './markdown.ts';
import { type Place, RETIRED_WORDS, type RetiredWord } from './retired-words.ts';
import { lineAt, PRODUCT_ROOMS, roomOf, type SourceFile, SUPPORT_ROOMS, sourceFiles } from './source-file.ts';
import type { CodeText } from './syntax.ts';

interface Text {
  readonly path: string;
  /** Counted from 1. Called only for a text with a retired word. */
  readonly line: () => number;
  readonly place: Place;
  readonly text: string;
}

/** `heldKeys_2` becomes `held keys 2`. */
export function plainWords(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
}

/** True for `Math.floor` and for the built-in type `Awaited<T>`. */
function isBuiltIn(source: string, offset: number): boolean {
  return source.startsWith('Math.', offset - 'Math.'.length) || source.startsWith('Awaited<', offset);
}

function textsOf({ path, text: source, identifiers, strings, comments, titles }: SourceFile): Text[] {
  const at = (place: Place, { offset, text }: CodeText): Text => ({
    path,
    place,
    text,
    line: () => lineAt(source, offset),
  });
  // Strings of tests can contain any word, because they are speech of users. Titles are checked.
  const ours = PRODUCT_ROOMS.includes(roomOf(path)) ? strings : [];
  return [
    { path, line: () => 1, place: 'name', text: path },
    ...identifiers.filter(({ offset }) => !isBuiltIn(source, offset)).map((name) => at('name', name)),
    ...comments.map(({ value, start }) => at('prose', { text: value, offset: start })),
    ...titles.map((title) => at('prose', title)),
    ...ours.map((string) => at('string', string)),
  ];
}

/** Pages that can contain retired words: the glossary and the logs of past changes. */
const UNCHECKED_PAGES = ['docs/glossary.md', 'CHANGELOG.md', 'BENCHMARKS.md'];

/** The prose of a Markdown file by line, without code and link targets. */
function markdownTexts(path: string): Text[] {
  return withoutCodeBlocks(readMarkdown(path))
    .replace(/`[^`\n]*`|\]\([^)]*\)/g, '')
    .split('\n')
    .map((text, index) => ({ path, line: () => index + 1, place: 'prose', text }));
}

/** The folder whose retired words apply to a path. For a test it is the tested folder. */
function subjectOf(path: string): string {
  const folder = dirname(path).replace(/^test\//, '');
  return folder === '.' ? '' : folder;
}

function isInside(folder: string, folders: readonly string[]): boolean {
  return folders.some((other) => folder === other || folder.startsWith(`${other}/`));
}

const ANY_RETIRED_WORD = new RegExp(RETIRED_WORDS.map(({ pattern }) => pattern.source).join('|'));

function isRetiredIn({ folders, except = [], places }: RetiredWord, { path, place }: Text): boolean {
  const subject = subjectOf(path);
  if (folders !== undefined && !isInside(subject, folders)) return false;
  return !isInside(subject, except) && (places === undefined || places.includes(place));
}

/** Every use of a retired word, as `path:line «word» (place), instead: term`. */
export function retiredWordUses(): string[] {
  const sources = sourceFiles([...PRODUCT_ROOMS, ...SUPPORT_ROOMS]).filter(
    ({ path }) => !path.startsWith('test/structure/'),
  );
  const pages = markdownPaths().filter((path) => !UNCHECKED_PAGES.includes(path));
  const plain = new Map<string, string>();
  return [...sources.flatMap(textsOf), ...pages.flatMap(markdownTexts)].flatMap((text) => {
    const words = plain.get(text.text) ?? plainWords(text.text);
    plain.set(text.text, words);
    if (!ANY_RETIRED_WORD.test(words)) return [];
    return RETIRED_WORDS.flatMap((retired) => {
      const word = retired.pattern.exec(words)?.[0];
      if (word === undefined || !isRetiredIn(retired, text)) return [];
      return [`${text.path}:${text.line()} «${word}» (${text.place}), instead: ${retired.instead}`];
    });
  });
}
