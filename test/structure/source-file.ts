import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Comment, parseSync } from 'oxc-parser';
import { readSyntax, type Syntax } from './syntax.ts';

export const ROOT = resolve(import.meta.dirname, '../..');
/** The folders at the top that are part of the product. */
export const PRODUCT_ROOMS = ['base', 'engine', 'sip', 'adapters', 'src', 'console'];
/** The folders at the top that hold tests, benchmarks, recorded data and the programs of a release. */
export const SUPPORT_ROOMS = ['test', 'bench', 'fixtures', 'packaging'];

/** Files of programs: built, generated or installed. */
const UNWRITTEN = /(?:^|\/)(?:dist|generated|node_modules)\//;

/** One TypeScript file of this repository, parsed. Paths are relative to the repository. */
export interface SourceFile extends Readonly<Syntax> {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly comments: readonly Comment[];
  /** Specifiers of every import, type-only ones, re-exports and `new URL('./worker.ts', import.meta.url)` included. */
  readonly specifiers: string[];
  /** Target paths of the relative specifiers. The path of a folder ends with a slash. */
  readonly imports: readonly string[];
  /** Names that the file imports from vitest. */
  readonly vitestImports: readonly string[];
}

export function roomOf(path: string): string {
  return path.split('/')[0] ?? path;
}

/** The line of an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Parses one source text as the file at `path`. Throws on a syntax error. */
export function parseSource(path: string, text: string): SourceFile {
  const { program, module, comments, errors } = parseSync(path, text);
  const first = errors[0];
  if (first !== undefined) throw new Error(`${path}: ${first.message}`);
  const syntax = readSyntax(program, text);
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    ...syntax.specifiers,
  ];
  const vitestImports = module.staticImports
    .filter(({ moduleRequest }) => moduleRequest.value === 'vitest')
    .flatMap(({ entries }) => entries.flatMap(({ importName }) => importName.name ?? []));
  const imports = specifiers
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => join(dirname(path), specifier));
  return {
    ...syntax,
    path,
    text,
    lines: text.trimEnd().split('\n').length,
    comments,
    specifiers: [...new Set(specifiers)],
    imports: [...new Set(imports)],
    vitestImports,
  };
}

const parsedRooms = new Map<string, SourceFile[]>();

function filesOf(room: string): SourceFile[] {
  const parsed = parsedRooms.get(room);
  if (parsed !== undefined) return parsed;
  const files = !existsSync(join(ROOT, room))
    ? []
    : readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name) && !UNWRITTEN.test(name))
        .sort()
        .map((name) => parseSource(join(room, name), readFileSync(join(ROOT, room, name), 'utf8')));
  parsedRooms.set(room, files);
  return files;
}

/** The files of some top folders. Each file is read and parsed once per process. */
export function sourceFiles(rooms: readonly string[]): SourceFile[] {
  return rooms.flatMap(filesOf);
}
