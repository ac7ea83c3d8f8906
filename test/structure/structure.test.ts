import { describe, expect, it } from 'vitest';
import { circlesOf } from './circles.ts';
import { termsOf } from './glossary.ts';
import { faultsOfImportTable } from './import-table.ts';
import { impurities } from './purity.ts';
import { RULES } from './rules.ts';
import { parseSource } from './source-file.ts';
import { plainWords } from './words.ts';

describe('structure', () => {
  it.each(RULES)('$promise', ({ violations }) => {
    expect(violations()).toEqual([]);
  });
});

describe('the reader of source files', () => {
  it('finds every kind of import', () => {
    const text = `
      import {
        a,
      } from '../a.ts';
      import type { B } from './b.ts';
      export * from './c.ts';
      export type { D } from './d.ts';
      type E = import('./e.ts').E;
      const f = await import('./f.ts');
      new Worker(new URL('./g.ts', import.meta.url));
      new Worker(new URL(\`./h.\${extension}\`, import.meta.url));
      import 'node:fs';`;
    expect(parseSource('engine/core/x.ts', text).imports.toSorted()).toEqual(
      [
        'engine/a.ts',
        ...['b', 'c', 'd', 'e', 'f', 'g'].map((name) => `engine/core/${name}.ts`),
        'engine/core/h.',
      ].toSorted(),
    );
  });

  it('measures functions from the first to the last line, and omits functions that declare tests', () => {
    const text = `
      function long() {
        return 1;
      }
      const arrow = () =>
        2;
      class Klass {
        method() {}
      }
      describe('x', () => {
        it('y', () => {
        });
      });`;
    const functions = parseSource('test/x.ts', text).functions.map(({ name, lines }) => [name, lines]);
    expect(functions).toEqual([
      ['long', 3],
      ['arrow', 2],
      ['method', 1],
      ['line 11', 2],
    ]);
  });

  it('lists the names that a file imports from vitest', () => {
    const text = `
      import { expect, test as check } from 'vitest';
      import { it } from './it.ts';`;
    expect(parseSource('test/x.ts', text).vitestImports).toEqual(['expect', 'test']);
  });

  it('finds exported types, private members and any', () => {
    const text = `
      export interface A {}
      export type B = any;
      export class C {
        private d = 1;
        private e() {}
        #f = 2;
      }`;
    const { exportedTypes, privateKeywords, anyKeywords } = parseSource('engine/x.ts', text);
    expect(exportedTypes).toEqual(['A', 'B', 'C']);
    expect(privateKeywords).toHaveLength(2);
    expect(anyKeywords).toHaveLength(1);
  });
});

describe('circles', () => {
  const graph = (edges: Record<string, string[]>) =>
    new Map(Object.entries(edges).map(([node, targets]) => [node, new Set(targets)]));

  it('finds each circle once, regardless of imports from outside', () => {
    expect(circlesOf(graph({ z: ['a'], a: ['b'], b: ['c', 'x'], c: ['a'], x: ['y'], y: ['x'] }))).toEqual([
      ['a', 'b', 'c'],
      ['x', 'y'],
    ]);
  });

  it('finds no circle in a tree or a diamond', () => {
    expect(circlesOf(graph({ a: ['b', 'c'], b: ['d'], c: ['d'] }))).toEqual([]);
  });
});

describe('the table of imports', () => {
  const files = [
    { path: 'sip/rtp/packet.ts', imports: ['sip/rtp/srtp/cipher.ts', 'sip/rtp/header.ts', 'test/tone.ts'] },
    { path: 'sip/rtp/srtp/cipher.ts', imports: [] },
  ];
  const faults = (table: Record<string, string[]>) => faultsOfImportTable(table, files, ['sip']);

  it('accepts a table of exactly the imported folders', () => {
    expect(faults({ 'sip/rtp': ['sip/rtp/srtp'], 'sip/rtp/srtp': [] })).toEqual([]);
  });

  it('needs an entry for each folder with files', () => {
    expect(faults({ 'sip/rtp': ['sip/rtp/srtp'] })).toEqual(['sip/rtp/srtp: has no entry']);
  });

  it('needs an entry for the import of a subfolder', () => {
    expect(faults({ 'sip/rtp': [], 'sip/rtp/srtp': [] })).toEqual([
      "sip/rtp/packet.ts → sip/rtp/srtp/cipher.ts: 'sip/rtp' lacks 'sip/rtp/srtp'",
    ]);
  });

  it.each([
    ['that no file imports', { 'sip/rtp': ['sip/rtp/srtp'], 'sip/rtp/srtp': ['sip/rtp'] }],
    ['that is listed twice', { 'sip/rtp': ['sip/rtp/srtp', 'sip/rtp/srtp'], 'sip/rtp/srtp': [] }],
    ['that has no files', { 'sip/rtp': ['sip/rtp/srtp'], 'sip/rtp/srtp': [], 'sip/sdp': [] }],
  ])('reports a folder %s', (_, table) => {
    expect(faults(table)).toHaveLength(1);
  });
});

describe('the purity of the engine', () => {
  const impuritiesOf = (texts: Readonly<Record<string, string>>) =>
    impurities(Object.entries(texts).map(([path, text]) => parseSource(path, text)));

  it('includes files that the engine imports through others', () => {
    const files = {
      'engine/a.ts': "import { b } from '../base/b.ts';",
      'base/b.ts': "export { c as b } from './c.ts';",
      'base/c.ts': 'export const c = Date.now();',
      'base/unreached.ts': 'export const d = Math.random();',
    };
    expect(impuritiesOf(files)).toEqual(['base/c.ts reaches for a clock']);
  });

  it('includes npm packages and modules of Node', () => {
    const text = "import { z } from 'zod'; import pad from 'left-pad'; import { readFileSync } from 'node:fs';";
    expect(impuritiesOf({ 'engine/a.ts': text })).toEqual([
      'engine/a.ts imports left-pad',
      'engine/a.ts imports node:fs',
    ]);
  });
});

describe('the glossary', () => {
  it('lists the terms of each row without their abbreviations', () => {
    const page =
      '| term | meaning |\n|---|---|\n| turn; user turn, agent turn | Speech. |\n| detection (AMD) | Tells. |\n';
    expect(termsOf(page)).toEqual(['turn', 'user turn', 'agent turn', 'detection']);
  });
});

describe('plain words', () => {
  it.each([
    ['heldKeys_2', 'held keys 2'],
    ['SIPServer', 'sip server'],
    ['engine/call/call-facts.ts', 'engine call call facts ts'],
    ["it's\n * a line", 'it s a line'],
  ])('%s', (text, words) => {
    expect(plainWords(text)).toBe(words);
  });
});
