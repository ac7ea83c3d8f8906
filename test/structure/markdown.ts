import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { PRODUCT_ROOMS, ROOT, SUPPORT_ROOMS, sourceFiles } from './source-file.ts';

/** Every hand-written Markdown file of this repository. */
export function markdownPaths(): string[] {
  const inFolders = [...PRODUCT_ROOMS, ...SUPPORT_ROOMS, 'docs']
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    );
  const atTop = readdirSync(ROOT, { encoding: 'utf8' });
  return [...inFolders, ...atTop].filter((path) => path.endsWith('.md')).sort();
}

export function readMarkdown(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** A text without its code blocks, with unchanged line numbers. */
export function withoutCodeBlocks(text: string): string {
  return text.replace(/```[\s\S]*?```/g, (code) => code.replace(/[^\n]/g, ''));
}

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(text: string): string[] {
  return Array.from(withoutCodeBlocks(text).matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const LINK = /\]\(([^)\s]+)\)/g;
/** A path of this repository in code marks. Paths with `NAME`, `*`, `<` or `…` are placeholders. */
const NAMED_PATH = new RegExp(`\`((?:${[...PRODUCT_ROOMS, ...SUPPORT_ROOMS, 'docs'].join('|')})/[a-z0-9_./-]+)\``, 'g');

/** Files that benchmarks write and that git ignores. */
const MADE_LATER = 'bench/results/';

function brokenReference(path: string, target: string, resolved: string, anchor?: string): string[] {
  if (!existsSync(join(ROOT, resolved))) return [`${path}: ${target} does not exist`];
  if (anchor === undefined || !resolved.endsWith('.md')) return [];
  return anchorsOf(readMarkdown(resolved)).includes(anchor) ? [] : [`${path}: ${target} has no such heading`];
}

/** A README names paths relative to the repository or to its folder. */
function pathNamed(page: string, name: string): string {
  const beside = join(dirname(page), name);
  return existsSync(join(ROOT, beside)) ? beside : name;
}

/** Relative links and paths without a target. */
export function brokenReferences(): string[] {
  return markdownPaths().flatMap((path) => {
    const text = withoutCodeBlocks(readMarkdown(path));
    const links = Array.from(text.matchAll(LINK), ([, link = '']) => link).filter((link) => !/^[a-z]+:/.test(link));
    const names = Array.from(text.matchAll(NAMED_PATH), ([, name = '']) => name);
    return [
      ...links.flatMap((link) => {
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? path : relative(ROOT, resolve(ROOT, dirname(path), file));
        return brokenReference(path, link, target, anchor);
      }),
      ...(path === 'CHANGELOG.md'
        ? []
        : names.flatMap((name) => brokenReference(path, name, name === MADE_LATER ? '.' : pathNamed(path, name)))),
    ];
  });
}

/** A TypeScript file in code marks. Names in capitals are placeholders. */
const NAMED_FILE = /`([a-z0-9.][a-z0-9_./-]*\.tsx?)`/g;

/** Names in READMEs that are neither a file of the folder or of its tests, nor the path of another file. */
export function unknownFilesOfReadmes(): string[] {
  const paths = sourceFiles([...PRODUCT_ROOMS, ...SUPPORT_ROOMS]).map(({ path }) => path);
  return markdownPaths()
    .filter((page) => page.endsWith('/README.md'))
    .flatMap((page) => {
      const folder = dirname(page);
      const own = paths.filter((path) => path.startsWith(`${folder}/`) || path.startsWith(`test/${folder}/`));
      const names = Array.from(withoutCodeBlocks(readMarkdown(page)).matchAll(NAMED_FILE), ([, name = '']) => name);
      return names
        .filter((name) => !(name.includes('/') ? paths : own).some((path) => `/${path}`.endsWith(`/${name}`)))
        .map((name) => `${page}: there is no file ${name}`);
    });
}

const TYPESCRIPT_BLOCK = /^( *)```ts\n([\s\S]*?)^\1```/gm;
/** A name of several words that is not a member of an object. Shorter names are too common to check. */
const CODE_NAME = /(?<!\.)\b[a-z]+(?:[A-Z][a-z0-9]*)+\b/g;
/** Names of code that the reader of a how-to writes. */
const NEW_NAME = /(?:\b(?:const|function|interface|class|readonly)\s+|#|^ +)(\w+)(?=[\s(:<=])/gm;

/** Names in the TypeScript of how-tos that neither the code nor the how-to defines. */
export function unknownNamesOfHowTos(): string[] {
  const known = new Set(
    sourceFiles([...PRODUCT_ROOMS, ...SUPPORT_ROOMS]).flatMap(({ identifiers }) => identifiers.map(({ text }) => text)),
  );
  return markdownPaths()
    .filter((path) => path.startsWith('docs/howto/'))
    .flatMap((path) => {
      const code = Array.from(readMarkdown(path).matchAll(TYPESCRIPT_BLOCK), ([, , block = '']) => block)
        .join('\n')
        .replace(/'[^'\n]*'|\/\/.*|\/\*[\s\S]*?\*\//g, '');
      const added = new Set(Array.from(code.matchAll(NEW_NAME), ([, name = '']) => name));
      const names = new Set(code.match(CODE_NAME) ?? []);
      return [...names]
        .filter((name) => !known.has(name) && !added.has(name))
        .map((name) => `${path}: ${name} is in no source file`);
    });
}
