import { type Argument, type Program, type Span, Visitor, type VisitorObject } from 'oxc-parser';

/** A function or method and its number of lines. */
export interface SourceFunction {
  readonly name: string;
  /** Counted from 1. */
  readonly line: number;
  readonly lines: number;
}

/** An identifier or text of the code and its offset. */
export interface CodeText {
  readonly text: string;
  readonly offset: number;
}

/** Result of one walk over a file. */
export interface Syntax {
  /** Specifiers of `import()`, of `import('…')` types and of `new URL('…', import.meta.url)`. */
  readonly specifiers: string[];
  readonly functions: SourceFunction[];
  /** Titles of tests and of groups of tests. */
  readonly titles: CodeText[];
  readonly identifiers: CodeText[];
  /** The text of string literals and of the fixed parts of templates. */
  readonly strings: CodeText[];
  /** Names of exported types, interfaces and classes. */
  readonly exportedTypes: string[];
  /** Offsets of the keywords `private` and `any`. */
  readonly privateKeywords: number[];
  readonly anyKeywords: number[];
}

/** Calls that declare tests. A function that contains such a call can have any length, like a `describe`. */
const DECLARES_TESTS = /^(?:describe|it)\b/;

export function readSyntax(program: Program, text: string): Syntax {
  const syntax: Syntax = {
    specifiers: [],
    functions: [],
    titles: [],
    identifiers: [],
    strings: [],
    exportedTypes: [],
    privateKeywords: [],
    anyKeywords: [],
  };
  new Visitor({
    ...visitImports(syntax),
    ...visitFunctions(syntax, text),
    ...visitTypes(syntax),
    ...visitWords(syntax),
  }).visit(program);
  return syntax;
}

/** The text of a string literal, or the fixed beginning of a template. */
function literalText(node: Argument | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  return node?.type === 'TemplateLiteral' ? (node.quasis[0]?.value.cooked ?? undefined) : undefined;
}

function visitImports({ specifiers }: Syntax): VisitorObject {
  return {
    NewExpression(node) {
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'URL' || node.arguments.length < 2) return;
      const path = literalText(node.arguments[0]);
      if (path?.startsWith('.')) specifiers.push(path);
    },
    ImportExpression(node) {
      const specifier = literalText(node.source);
      if (specifier !== undefined) specifiers.push(specifier);
    },
    TSImportType(node) {
      specifiers.push(node.source.value);
    },
  };
}

function visitFunctions({ functions, titles, privateKeywords }: Syntax, text: string): VisitorObject {
  const lineStarts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  const lineOf = (offset: number) => lineStarts.findLastIndex((start) => start <= offset) + 1;
  const names = new Map<number, string>();
  const groups = new Set<number>();
  const around: number[] = [];

  const name = (node: Span | null, called: Span) => {
    if (node !== null) names.set(node.start, text.slice(called.start, called.end));
  };
  const enter = ({ start }: Span) => void around.push(start);
  const leave = ({ start, end }: Span, called?: string) => {
    around.pop();
    if (groups.has(start)) return;
    const line = lineOf(start);
    functions.push({ name: called ?? names.get(start) ?? `line ${line}`, line, lines: lineOf(end - 1) - line + 1 });
  };
  const member = (node: {
    key: Span;
    value: Span | null;
    accessibility?: string | null | undefined;
    kind?: string;
    start: number;
  }) => {
    name(node.value, node.key);
    // JavaScript has no #constructor.
    if (node.accessibility === 'private' && node.kind !== 'constructor') privateKeywords.push(node.start);
  };

  return {
    CallExpression(node) {
      if (!DECLARES_TESTS.test(text.slice(node.callee.start, node.callee.end))) return;
      for (const start of around) groups.add(start);
      const title = literalText(node.arguments[0]);
      if (title !== undefined) titles.push({ text: title, offset: node.start });
    },
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': (node) => leave(node, node.id?.name),
    FunctionExpression: enter,
    'FunctionExpression:exit': (node) => leave(node),
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': (node) => leave(node),
    VariableDeclarator: (node) => name(node.init, node.id),
    Property: (node) => name(node.value, node.key),
    MethodDefinition: member,
    PropertyDefinition: member,
    TSParameterProperty(node) {
      if (node.accessibility === 'private') privateKeywords.push(node.start);
    },
  };
}

function visitTypes({ exportedTypes, anyKeywords }: Syntax): VisitorObject {
  return {
    TSAnyKeyword: (node) => void anyKeywords.push(node.start),
    ExportNamedDeclaration({ declaration }) {
      switch (declaration?.type) {
        case 'TSInterfaceDeclaration':
        case 'TSTypeAliasDeclaration':
        case 'ClassDeclaration':
          if (declaration.id !== null) exportedTypes.push(declaration.id.name);
      }
    },
  };
}

function visitWords({ identifiers, strings }: Syntax): VisitorObject {
  return {
    Identifier: (node) => void identifiers.push({ text: node.name, offset: node.start }),
    PrivateIdentifier: (node) => void identifiers.push({ text: node.name, offset: node.start }),
    Literal(node) {
      if (typeof node.value === 'string') strings.push({ text: node.value, offset: node.start });
    },
    TemplateElement: (node) => void strings.push({ text: node.value.cooked ?? node.value.raw, offset: node.start }),
  };
}
