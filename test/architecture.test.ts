import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const LINES_PER_FILE_MAX = 400;

/** Which rooms each room may import; every room may import itself. */
const ARROWS: Record<string, readonly string[]> = {
  engine: [],
  sip: ['engine'],
  adapters: ['engine'],
  src: ['engine', 'sip', 'adapters'],
};

/** What `engine/` must be handed instead: clocks, randomness and I/O. */
const IMPURE = [
  { name: 'a clock', pattern: /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b/ },
  { name: 'a timer', pattern: /\bset(?:Timeout|Interval|Immediate)\s*\(|\bqueueMicrotask\s*\(/ },
  { name: 'randomness', pattern: /\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b/ },
  { name: 'the environment', pattern: /\bprocess\.|\bfetch\s*\(/ },
];

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

function sources(room: string): SourceFile[] {
  return readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ path: join(room, name), text: readFileSync(join(ROOT, room, name), 'utf8') }));
}

function specifiers(text: string): string[] {
  const statements = text.matchAll(/(?:^|\n)\s*(?:import|export)\b[^'"\n]*?(?:\n[^'"]*?)?from\s*['"]([^'"]+)['"]/g);
  const bare = text.matchAll(/(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g);
  const dynamic = text.matchAll(/\bimport\s*\(\s*['"]([^'"]+)['"]\s*\)/g);
  const urls = text.matchAll(/new URL\(\s*[`'"](\.[^`'"$]+)/g);
  return [...statements, ...bare, ...dynamic, ...urls].flatMap((match) => match[1] ?? []);
}

/** The room that a relative specifier leads to, null for a package. */
function roomOf(file: SourceFile, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  const target = relative(ROOT, resolve(ROOT, dirname(file.path), specifier));
  return target.split('/')[0] ?? null;
}

describe.each(Object.keys(ARROWS))('room %s', (room) => {
  it('imports only the rooms that its arrows allow', () => {
    const allowed = [room, ...(ARROWS[room] ?? [])];
    const strays = sources(room).flatMap((file) =>
      specifiers(file.text)
        .filter((specifier) => {
          const target = roomOf(file, specifier);
          return target !== null && !allowed.includes(target);
        })
        .map((specifier) => `${file.path} → ${specifier}`),
    );
    expect(strays).toEqual([]);
  });

  it(`has no file over ${LINES_PER_FILE_MAX} lines`, () => {
    const long = sources(room)
      .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
      .filter(({ lines }) => lines > LINES_PER_FILE_MAX);
    expect(long).toEqual([]);
  });

  it('opens with a README', () => {
    expect(readFileSync(join(ROOT, room, 'README.md'), 'utf8').length).toBeGreaterThan(200);
  });
});

describe('engine purity', () => {
  const engine = sources('engine');

  it.each(IMPURE)('the engine never reaches for $name', ({ pattern }) => {
    const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/[^\n]*/g, '');
    expect(engine.filter(({ text }) => pattern.test(code(text))).map(({ path }) => path)).toEqual([]);
  });

  it('the engine imports no module of Node', () => {
    const strays = engine.filter(({ text }) => specifiers(text).some((specifier) => specifier.startsWith('node:')));
    expect(strays.map(({ path }) => path)).toEqual([]);
  });

  it('sip and adapters see of the engine only its ports, the tape and plain types', () => {
    const open = /^engine\/(ports|tape|call\/(event|command|call-facts|end-reason))\b/;
    const strays = ['sip', 'adapters'].flatMap(sources).flatMap((file) =>
      specifiers(file.text)
        .filter((specifier) => roomOf(file, specifier) === 'engine')
        .map((specifier) => relative(ROOT, resolve(ROOT, dirname(file.path), specifier)))
        .filter((target) => !open.test(target))
        .map((target) => `${file.path} → ${target}`),
    );
    expect(strays).toEqual([]);
  });
});

describe('the scanner itself', () => {
  it('sees the imports of this codebase', () => {
    const all = sources('src').flatMap(({ text }) => specifiers(text));
    expect(all.some((specifier) => specifier.includes('/engine/'))).toBe(true);
    expect(all.some((specifier) => specifier.startsWith('node:'))).toBe(true);
  });

  it('reads imports that span lines, and workers', () => {
    const text = `import {\n  a,\n  b,\n} from '../sip/x.ts';\nnew Worker(new URL('./worker.ts', import.meta.url));`;
    expect(specifiers(text)).toEqual(['../sip/x.ts', './worker.ts']);
  });
});
