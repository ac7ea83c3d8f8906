import type { SourceFile } from './source-file.ts';

/** npm modules that pure code may import: they read no clock, no randomness and no I/O as it uses them. */
const PURE_MODULES = ['jsonpath-rfc9535/parser', 'leven', 'libphonenumber-js/max', 'xstate', 'zod'];

/** Code that pure files must not contain, because they get clocks, randomness and I/O as parameters. */
const IMPURE = [
  { name: 'a clock', pattern: /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b/ },
  { name: 'a timer', pattern: /\bset(?:Timeout|Interval|Immediate)\s*\(|\bqueueMicrotask\s*\(/ },
  { name: 'randomness', pattern: /\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b/ },
  { name: 'the environment', pattern: /\bprocess\.|\bfetch\s*\(/ },
];

/** The files of the engine, and every file that they import, directly or through others. */
function pureFiles(files: readonly SourceFile[]): SourceFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set([...byPath.keys()].filter((path) => path.startsWith('engine/')));
  // The loop visits the paths that it adds.
  for (const path of reached) for (const target of byPath.get(path)?.imports ?? []) reached.add(target);
  return files.filter(({ path }) => reached.has(path));
}

/** Each impurity of the engine, as a readable text that begins with its file. */
export function impurities(files: readonly SourceFile[]): string[] {
  return pureFiles(files).flatMap(({ path, text, specifiers }) => {
    const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/[^\n]*/g, '');
    const reached = IMPURE.filter(({ pattern }) => pattern.test(code)).map(({ name }) => `${path} reaches for ${name}`);
    const modules = specifiers
      .filter((name) => !name.startsWith('.') && !PURE_MODULES.includes(name))
      .map((name) => `${path} imports ${name}`);
    return [...reached, ...modules];
  });
}
