import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { betweenFolders, circlesOf, type ImportGraph } from './circles.ts';
import { unusedTerms } from './glossary.ts';
import { faultsOfImportTable } from './import-table.ts';
import { IMPORTS } from './imports.ts';
import { brokenReferences, unknownFilesOfReadmes, unknownNamesOfHowTos } from './markdown.ts';
import { impurities } from './purity.ts';
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
  return new Map(files.map(({ path, imports }) => [path, new Set(imports.filter((target) => /\.tsx?$/.test(target)))]));
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

/** Imports of tests, benchmarks and fixtures in the product. */
function importsOfSupport(): string[] {
  return product().flatMap(({ path, imports }) =>
    imports
      .filter((target) => SUPPORT_ROOMS.some((room) => target.startsWith(`${room}/`)))
      .map((target) => `${path} → ${target}`),
  );
}

function namesakes(): string[] {
  const filesByName = new Map<string, string[]>();
  for (const { path, exportedTypes } of product())
    for (const name of exportedTypes) filesByName.set(name, [...(filesByName.get(name) ?? []), path]);
  return [...filesByName]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${paths.join(', ')}: ${name}`);
}

/** A slice of the engine's state is named by the folder whose rules it serves. */
function slicesWithoutTopic(): string[] {
  return sourceFiles(['engine']).flatMap(({ path }) => {
    const topic = /^engine\/core\/state\/(.+)-slice\.ts$/.exec(path)?.[1];
    return topic === undefined || existsSync(join(ROOT, 'engine', topic)) ? [] : [`${path}: no folder engine/${topic}`];
  });
}

function testsNotDeclaredWithIt(): string[] {
  return sourceFiles(['test', 'fixtures']).flatMap(({ path, vitestImports }) =>
    vitestImports.includes('test') ? [`${path}: write it instead of test`] : [],
  );
}

function keywords(of: (file: SourceFile) => readonly number[], text: string): string[] {
  return all().flatMap((file) => of(file).map((offset) => `${file.path}:${lineAt(file.text, offset)}: ${text}`));
}

export const RULES: readonly Rule[] = [
  {
    promise: 'a folder imports only the folders that the table of imports lists for it, and each of them',
    violations: () => faultsOfImportTable(IMPORTS, product(), PRODUCT_ROOMS),
  },
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
  { promise: 'tests are declared with it', violations: testsNotDeclaredWithIt },
  { promise: 'no two unrelated exported types have one name', violations: namesakes },
  { promise: 'each slice of the engine state is named by a topic folder', violations: slicesWithoutTopic },
  { promise: 'the engine is handed clocks, randomness and I/O', violations: () => impurities(product()) },
  { promise: 'links and paths in Markdown files lead somewhere', violations: brokenReferences },
  { promise: 'a README names files of its folder, others by their path', violations: unknownFilesOfReadmes },
  { promise: 'how-tos name only code that exists', violations: unknownNamesOfHowTos },
  { promise: 'no retired word comes back', violations: retiredWordUses },
  { promise: 'each term of the glossary is in use', violations: unusedTerms },
];
