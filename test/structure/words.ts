import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Place, RETIRED_WORDS, type RetiredWord } from './retired-words.ts';
import { lineAt, PRODUCT_ROOMS, ROOT, roomOf, type SourceFile, SUPPORT_ROOMS, sourceFiles } from './source-file.ts';
import type { CodeText } from './syntax.ts';

interface Text {
  readonly path: string;
  /** Counted from 1; asked for only where a word is found. */
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

function textsOf({ path, text: source, identifiers, strings, comments, titles }: SourceFile): Text[] {
  const at = (place: Place, { offset, text }: CodeText): Text => ({
    path,
    place,
    text,
    line: () => lineAt(source, offset),
  });
  // Strings of tests are what people say on the phone, so they may hold any word. Titles are ours.
  const ours = PRODUCT_ROOMS.includes(roomOf(path)) ? strings : [];
  return [
    { path, line: () => 1, place: 'name', text: path },
    ...identifiers.filter(({ offset }) => !source.startsWith('Math.', offset - 5)).map((name) => at('name', name)),
    ...comments.map(({ value, start }) => at('prose', { text: value, offset: start })),
    ...titles.map((title) => at('prose', title)),
    ...ours.map((string) => at('string', string)),
  ];
}

/** Every Markdown file but the glossary, which names the retired words. */
function markdownPaths(): string[] {
  const inFolders = [...PRODUCT_ROOMS, ...SUPPORT_ROOMS, 'docs']
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    );
  return [...inFolders, 'README.md', 'CONTRIBUTING.md'].filter(
    (path) => path.endsWith('.md') && path !== 'docs/glossary.md' && existsSync(join(ROOT, path)),
  );
}

/** The prose of a Markdown file, line by line: without code and the targets of links. */
function markdownTexts(path: string): Text[] {
  return readFileSync(join(ROOT, path), 'utf8')
    .replace(/```[\s\S]*?```/g, (code) => code.replace(/[^\n]/g, ''))
    .replace(/`[^`\n]*`|\]\([^)]*\)/g, '')
    .split('\n')
    .map((text, index) => ({ path, line: () => index + 1, place: 'prose', text }));
}

/** The folder that a text belongs to for the table: tests belong to the folder that they test. */
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
export function retiredWordUses(): { readonly path: string; readonly text: string }[] {
  const sources = sourceFiles([...PRODUCT_ROOMS, ...SUPPORT_ROOMS]).filter(
    ({ path }) => !path.startsWith('test/structure/'),
  );
  const plain = new Map<string, string>();
  return [...sources.flatMap(textsOf), ...markdownPaths().flatMap(markdownTexts)].flatMap((text) => {
    const words = plain.get(text.text) ?? plainWords(text.text);
    plain.set(text.text, words);
    if (!ANY_RETIRED_WORD.test(words)) return [];
    return RETIRED_WORDS.flatMap((retired) => {
      const word = retired.pattern.exec(words)?.[0];
      if (word === undefined || !isRetiredIn(retired, text)) return [];
      return [
        { path: text.path, text: `${text.path}:${text.line()} «${word}» (${text.place}), instead: ${retired.instead}` },
      ];
    });
  });
}
