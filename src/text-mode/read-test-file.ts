import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import type { AgentConfiguration } from '../../engine/agent/agent.ts';
import { AgentFileError, agentOf, readAgentFile, type TextAgent } from './agent-file.ts';
import type { Expectation } from './expectation.ts';
import { type TestFile, testFileSchema } from './test-file.ts';
import type { TextSetup } from './text-setup.ts';

/** A file whose conversations can be run. */
export interface ReadTestFile {
  readonly file: TestFile;
  readonly agent: TextAgent;
}

/** What is wrong with a file of tests, one fault a line, from top to bottom: `FILE:LINE:COLUMN: field: what was expected`. */
export class TestFileError extends Error {
  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.name = 'TestFileError';
  }
}

/** Aliases that a file may resolve: far more than a person writes, far less than harms. */
const ALIASES_MAX = 100;
const UNKNOWN_FIELD = 'unknown field';

type Path = readonly (string | number)[];
interface Fault {
  readonly path: Path;
  readonly message: string;
}

/** Reads and checks a file and its agent. Rejects with a `TestFileError` that names every fault and its place. */
export async function readTestFile(path: string, setup: TextSetup): Promise<ReadTestFile> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new TestFileError([`${path}: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}`]);
  });
  const source = new YamlSource(path, text);
  const parsed = testFileSchema.safeParse(source.value);
  if (!parsed.success) throw source.error(parsed.error.issues.flatMap((issue) => faultsOf(issue, [])));
  const file = parsed.data;
  const agent = await agentFor(file, path, setup, source);
  const strangers = unknownNames(file, agent.compiled.agent);
  if (strangers.length > 0) throw source.error(strangers);
  return { file, agent };
}

async function agentFor(
  { agent }: TestFile,
  path: string,
  { configuration, registry }: TextSetup,
  source: YamlSource,
): Promise<TextAgent> {
  try {
    if (typeof agent !== 'string') return agentOf(agent, configuration, registry);
    return await readAgentFile(resolve(dirname(path), agent), configuration, registry);
  } catch (error) {
    if (!(error instanceof AgentFileError)) throw error;
    if (typeof agent === 'string') throw new TestFileError([error.message]);
    throw source.error(error.details.map(({ field, message }) => ({ path: ['agent', ...pathOf(field)], message })));
  }
}

/** `states[2].tools[0].url`, as the API writes it, in its parts. */
function pathOf(field: string | null): Path {
  const parts = field?.match(/[^.[\]]+/g) ?? [];
  return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** One YAML document that knows where each of its values stands. */
class YamlSource {
  readonly value: unknown;
  readonly #path: string;
  readonly #document: Document;
  readonly #lines = new LineCounter();

  /** @throws {TestFileError} where the text is no YAML. */
  constructor(path: string, text: string) {
    this.#path = path;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    const faults = [...this.#document.errors, ...this.#document.warnings];
    if (faults.length > 0) {
      throw new TestFileError(faults.map(({ pos, message }) => `${this.#place(pos[0])}: this is no YAML: ${message}`));
    }
    try {
      this.value = this.#document.toJS({ maxAliasCount: ALIASES_MAX });
    } catch (error) {
      throw new TestFileError([`${path}: ${error instanceof Error ? error.message : String(error)}`]);
    }
  }

  error(faults: readonly Fault[]): TestFileError {
    const placed = faults
      .filter((fault) => !follows(fault, faults))
      .map(({ path, message }) => {
        const field = fieldOf(path);
        return { offset: this.#offsetOf(path), told: `${field === '' ? '' : `${field}: `}${message}` };
      });
    placed.sort((a, b) => a.offset - b.offset);
    return new TestFileError(placed.map(({ offset, told }) => `${this.#place(offset)}: ${told}`));
  }

  #place(offset: number): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${this.#path}:${line}:${col}`;
  }

  /** Where the value stands, or its name where it has one; of what is missing, where it would belong. */
  #offsetOf(path: Path): number {
    let node: unknown = this.#document.contents;
    let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
    for (const part of path) {
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
        if (pair === undefined) return offset;
        offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
        node = pair.value;
      } else if (isSeq(node)) {
        node = node.items[Number(part)];
        if (!isNode(node)) return offset;
        offset = node.range?.[0] ?? offset;
      } else return offset;
    }
    return offset;
  }
}

type Issue = z.core.$ZodIssue;

function faultsOf(issue: Issue, parent: Path): Fault[] {
  const path = [...parent, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: UNKNOWN_FIELD }));
  }
  if (issue.code === 'invalid_union') {
    // A branch that tells of a place inside the value is the one that was meant.
    const nearest = issue.errors.find((errors) =>
      errors.every(({ path: at, code }) => at.length > 0 || code === 'unrecognized_keys'),
    );
    if (nearest !== undefined && nearest.length > 0) return nearest.flatMap((inner) => faultsOf(inner, path));
  }
  return [{ path, message: issue.message }];
}

/** What is missed at a place where a name is misspelt is, most likely, what that name was meant to be. */
function follows({ path }: Fault, faults: readonly Fault[]): boolean {
  return faults.some(
    (other) => other.message === UNKNOWN_FIELD && fieldOf(other.path.slice(0, -1)) === fieldOf(path) && path.length > 0,
  );
}

function fieldOf(path: Path): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}

/** States and tools that the agent does not have: an expectation of them would never be met, or always. */
function unknownNames(file: TestFile, { states }: AgentConfiguration): Fault[] {
  const stateNames = states.map(({ name }) => name);
  const toolNames = states.flatMap(({ tools }) => tools.map(({ name }) => name));
  const functions = states.flatMap(({ tools }) =>
    tools.flatMap(({ type, name }) => (type === 'custom_function' ? [name] : [])),
  );
  const faults: Fault[] = [];
  const checkCanned = (tools: TestFile['tools'], path: Path) => {
    for (const name of Object.keys(tools)) {
      if (functions.includes(name)) continue;
      faults.push({
        path: [...path, 'tools', name],
        message: `the agent has no custom function of this name${among(functions)}`,
      });
    }
  };
  const check = ({ fact, absent }: Expectation, path: Path) => {
    const known = fact.type === 'state' ? stateNames : fact.type === 'tool' ? toolNames : null;
    if (known === null || !('name' in fact) || known.includes(fact.name)) return;
    const at = [...path, ...(absent ? ['absent'] : []), fact.type];
    faults.push({ path: at, message: `the agent has no ${fact.type} «${fact.name}»${among(known)}` });
  };
  checkCanned(file.tools, []);
  for (const [index, { tools, turns }] of file.conversations.entries()) {
    checkCanned(tools, ['conversations', index]);
    for (const [number, { expect = [] }] of turns.entries()) {
      for (const [at, one] of expect.entries()) check(one, ['conversations', index, 'turns', number, 'expect', at]);
    }
  }
  return faults;
}

function among(names: readonly string[]): string {
  return names.length === 0 ? '' : `; it has ${[...new Set(names)].join(', ')}`;
}
