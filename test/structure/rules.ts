import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { betweenFolders, circlesOf, type ImportGraph } from './circles.ts';
import { IMPORTS } from './imports.ts';
import { brokenReferences, unknownNamesOfHowTos } from './markdown.ts';
import { lineAt, PRODUCT_ROOMS, ROOT, type SourceFile, SUPPORT_ROOMS, sourceFiles } from './source-file.ts';
import { retiredWordUses } from './words.ts';

/** A rule of structure that a program can check. */
export interface Rule {
  readonly promise: string;
  /** Each violation as a readable text that begins with its file or folder. */
  readonly violations: () => readonly string[];
}

const LINES_PER_FILE_MAX = 400;
const LINES_PER_FUNCTION_MAX = 70;

const product = () => sourceFiles(PRODUCT_ROOMS);
const all = () => sourceFiles([...PRODUCT_ROOMS, ...SUPPORT_ROOMS]);

function graphOf(files: readonly SourceFile[]): ImportGraph {
  return new Map(files.map(({ path, imports }) => [path, new Set(imports.filter((target) => target.endsWith('.ts')))]));
}

function fileCircles(graph: ImportGraph): string[] {
  return circlesOf(graph).map((circle) => circle.join(' ↔ '));
}

/** Circles of folders, each with one example import for every edge. */
function folderCircles(graph: ImportGraph, folderOf: (path: string) => string): string[] {
  return circlesOf(betweenFolders(graph, folderOf)).map((circle) => {
    const examples = new Map<string, string>();
    for (const [path, imports] of graph) {
      for (const target of imports) {
        const [from, to] = [folderOf(path), folderOf(target)];
        if (from !== to && circle.includes(from) && circle.includes(to))
          examples.set(`${from} → ${to}`, `${path} → ${target}`);
      }
    }
    return [circle.join(' ↔ '), ...examples.values()].join('\n  ');
  });
}

/** The topic of a file: its top folder and the first subfolder. */
function topicOf(path: string): string {
  return dirname(path).split('/').slice(0, 2).join('/');
}

/** Deeper folders count with the folder at this depth. The rule for single folders covers the rest. */
const DEPTHS_OF_CIRCLES = [1, 2, 3, 4];

/** Circles of product folders, each with its subfolders: of rooms, of topics, of folders inside them. */
function nestedFolderCircles(): string[] {
  const graph = graphOf(product());
  const circles = DEPTHS_OF_CIRCLES.flatMap((depth) =>
    folderCircles(graph, (path) => dirname(path).split('/').slice(0, depth).join('/')),
  );
  return [...new Set(circles)];
}

/** The deepest folder of `IMPORTS` that contains a path. */
function tableFolderOf(path: string): string | undefined {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) if (folder in IMPORTS) return folder;
  return undefined;
}

function isAllowed(from: string, target: string): boolean {
  const own = tableFolderOf(from);
  const folders = own === undefined ? [] : [own, ...(IMPORTS[own] ?? [])];
  return folders.some((folder) => target.startsWith(`${folder}/`));
}

function missingFolders(): string[] {
  const folders = new Set(product().map(({ path }) => topicOf(path)));
  return [...folders]
    .filter((folder) => !(folder in IMPORTS))
    .map((folder) => `${folder}: add it to IMPORTS in test/structure/imports/, with the folders that it may import`);
}

function strayImports(): string[] {
  return product().flatMap(({ path, imports }) =>
    imports
      .filter(
        (target) => tableFolderOf(path) !== undefined && PRODUCT_ROOMS.some((room) => target.startsWith(`${room}/`)),
      )
      .filter((target) => !isAllowed(path, target))
      .map((target) => `${path} → ${target}: not in IMPORTS of test/structure/imports/`),
  );
}

/** Imports of tests, benchmarks and fixtures in the product. */
function importsOfSupport(): string[] {
  return product().flatMap(({ path, imports }) =>
    imports
      .filter((target) => SUPPORT_ROOMS.some((room) => target.startsWith(`${room}/`)))
      .map((target) => `${path} → ${target}`),
  );
}

/** Entries that no import needs: unused ones, folders that are gone, and entries that another one implies. */
function uselessEntries(): string[] {
  const neededFolders = new Map<string, Set<string>>();
  for (const { path, imports } of product()) {
    const own = tableFolderOf(path);
    if (own === undefined) continue;
    const needed = neededFolders.get(own) ?? new Set();
    for (const target of imports) {
      const granting = IMPORTS[own]?.find((folder) => target.startsWith(`${folder}/`));
      if (granting !== undefined && !target.startsWith(`${own}/`)) needed.add(granting);
    }
    neededFolders.set(own, needed);
  }
  return Object.entries(IMPORTS).flatMap(([folder, targets]) => {
    const gone = existsSync(join(ROOT, folder)) ? [] : [`${folder} does not exist any more`];
    const useless = targets.flatMap((target) => {
      const implying = impliedBy(target, folder, targets);
      if (implying !== null) return [`${folder} → ${target} is implied by ${implying}`];
      return neededFolders.get(folder)?.has(target) ? [] : [`${folder} → ${target} is allowed, but not used`];
    });
    return [...gone, ...useless];
  });
}

/** The folder that already grants `target` to `importer`: the importer itself, or another entry; null: none does. */
export function impliedBy(target: string, importer: string, entries: readonly string[]): string | null {
  const others = entries.filter((entry) => entry !== target);
  if (others.length < entries.length - 1) return target;
  return [importer, ...others].find((folder) => `${target}/`.startsWith(`${folder}/`)) ?? null;
}

function namesakes(): string[] {
  const filesByName = new Map<string, string[]>();
  for (const { path, exportedTypes } of product())
    for (const name of exportedTypes) filesByName.set(name, [...(filesByName.get(name) ?? []), path]);
  return [...filesByName]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${paths.join(', ')}: ${name}`);
}

/** Code that `engine/` must not contain, because it gets clocks, randomness and I/O as parameters. */
const IMPURE = [
  { name: 'a clock', pattern: /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b/ },
  { name: 'a timer', pattern: /\bset(?:Timeout|Interval|Immediate)\s*\(|\bqueueMicrotask\s*\(/ },
  { name: 'randomness', pattern: /\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b/ },
  { name: 'the environment', pattern: /\bprocess\.|\bfetch\s*\(/ },
];

/** The files of the engine and the files of `base/` that it imports. */
function pureFiles(): SourceFile[] {
  const engine = sourceFiles(['engine']);
  const imported = new Set(engine.flatMap(({ imports }) => imports));
  return [...engine, ...sourceFiles(['base']).filter(({ path }) => imported.has(path))];
}

function impurities(): string[] {
  return pureFiles().flatMap(({ path, text, specifiers }) => {
    const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/[^\n]*/g, '');
    const reached = IMPURE.filter(({ pattern }) => pattern.test(code)).map(({ name }) => `${path} reaches for ${name}`);
    const modules = specifiers.filter((name) => name.startsWith('node:')).map((name) => `${path} imports ${name}`);
    return [...reached, ...modules];
  });
}

function keywords(of: (file: SourceFile) => readonly number[], text: string): string[] {
  return all().flatMap((file) => of(file).map((offset) => `${file.path}:${lineAt(file.text, offset)}: ${text}`));
}

export const RULES: readonly Rule[] = [
  { promise: 'each folder stands in the table of imports', violations: missingFolders },
  { promise: 'a folder imports only the folders that the table allows', violations: strayImports },
  { promise: 'the table of imports has no entry that is unused or implied by another', violations: uselessEntries },
  { promise: 'the product imports no tests, benchmarks or fixtures', violations: importsOfSupport },
  { promise: 'no files import each other in a circle', violations: () => fileCircles(graphOf(all())) },
  {
    promise: 'no folders import each other in a circle, each with the files directly in it',
    violations: () => folderCircles(graphOf(all()), dirname),
  },
  {
    promise: 'no folders of the product import each other in a circle, each with its subfolders',
    violations: nestedFolderCircles,
  },
  {
    promise: `no file has more than ${LINES_PER_FILE_MAX} lines`,
    violations: () =>
      all()
        .filter(({ lines }) => lines > LINES_PER_FILE_MAX)
        .map(({ path, lines }) => `${path}: ${lines} lines`),
  },
  {
    promise: `no function has more than ${LINES_PER_FUNCTION_MAX} lines`,
    violations: () =>
      all().flatMap(({ path, functions }) =>
        functions
          .filter(({ lines }) => lines > LINES_PER_FUNCTION_MAX)
          .map(({ name, line, lines }) => `${path}:${line} ${name}: ${lines} lines`),
      ),
  },
  {
    promise: 'privacy is written #name, never with the keyword private',
    violations: () => keywords(({ privateKeywords }) => privateKeywords, 'write #name'),
  },
  {
    promise: 'no type is any',
    violations: () => keywords(({ anyKeywords }) => anyKeywords, 'name the type, or take unknown'),
  },
  { promise: 'no two unrelated exported types have one name', violations: namesakes },
  { promise: 'the engine is handed clocks, randomness and I/O', violations: impurities },
  { promise: 'links and paths in Markdown files lead somewhere', violations: brokenReferences },
  { promise: 'how-tos name only code that exists', violations: unknownNamesOfHowTos },
  { promise: 'no retired word comes back', violations: retiredWordUses },
];
