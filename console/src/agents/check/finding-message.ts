import type { Messages } from '../../i18n/en.ts';
import type { AgentFinding } from './agent-finding.ts';

type Texts = Messages['agents']['findings'];

/** The service's message about a field that no schema has. */
export const UNKNOWN_FIELD = 'Unknown field';
/** The page's own message about a document whose check could not be loaded. */
export const NOT_CHECKED = 'not checked';
const EMPTY = 'Required: the text is empty';
const UNKNOWN_FIELDS = /^unknown fields? (.+)$/;
/** The service's message about a provider that it does not have. */
const UNKNOWN_PROVIDER = /^unknown provider\. Known providers: (.+)$/;
const NAME = /^the name is not valid: (.+)$/;
const MISSING = /^Required: expected (.+)$/;
const WRONG_TYPE = /^expected (.+), got (?:an? )?(\w+)$/;
const EXPECTED = /^expected (.+)$/;
const TYPE = /^(?:an? )?(\w+)$/;

/** What the service expects in its own words, as `src/validation/issue-message.ts` composes them, and what it depends on. */
const EXPECTATIONS = [
  ['oneOf', /^one of (.+)$/],
  ['charactersFrom', /^at least (\d+) characters?$/],
  ['charactersTo', /^at most (\d+) characters?$/],
  ['charactersExactly', /^exactly (\d+) characters?$/],
  ['itemsFrom', /^at least (\d+) items?$/],
  ['itemsTo', /^at most (\d+) items?$/],
  ['itemsExactly', /^exactly (\d+) items?$/],
  ['numberFrom', /^a number of at least (\S+)$/],
  ['numberTo', /^a number of at most (\S+)$/],
  ['numberAbove', /^a number above (\S+)$/],
  ['numberBelow', /^a number below (\S+)$/],
  ['multiple', /^a multiple of (\S+)$/],
  ['matching', /^a string that matches (.+)$/],
  ['isoDate', /^an (ISO 8601) date$/],
  ['isoTime', /^an (ISO 8601) date-time$/],
  ['valid', /^a (URL|UUID)$/],
  ['valid', /^a valid ([\w-]+)$/],
  ['value', /^(true|false|-?[\d.]+|".*")$/],
] as const satisfies readonly (readonly [keyof Texts['expectations'], RegExp])[];

/** The message of a finding in the language of the page, where it is one of those that an editor meets most; otherwise as it is. */
export function findingMessage({ allowed, message }: AgentFinding, { agents: { findings } }: Messages): string {
  if (allowed !== undefined) return findings.unknownField(allowed.join(', '));
  if (message === NOT_CHECKED) return findings.notChecked;
  return translated(message, findings) ?? message;
}

/** null: a message without a translation. */
function translated(message: string, texts: Texts): string | null {
  const fixed: Readonly<Record<string, string>> = { ...texts.messages, [EMPTY]: texts.empty };
  if (Object.hasOwn(fixed, message)) return fixed[message] ?? null;
  const [, unknown] = UNKNOWN_FIELDS.exec(message) ?? [];
  if (unknown !== undefined) return texts.unknownFields(unknown);
  const [, providers] = UNKNOWN_PROVIDER.exec(message) ?? [];
  if (providers !== undefined) return texts.unknownProvider(providers);
  const [, ofName] = NAME.exec(message) ?? [];
  if (ofName !== undefined) return texts.name(translated(ofName, texts) ?? ofName);
  const [, missing] = MISSING.exec(message) ?? [];
  if (missing !== undefined) return said(expectation(missing, texts), texts.missing);
  const [, type, received = ''] = WRONG_TYPE.exec(message) ?? [];
  if (type !== undefined)
    return said(expectation(type, texts), (expected) =>
      texts.wrongType(expected, typeName(received, texts) ?? received),
    );
  const [, expected] = EXPECTED.exec(message) ?? [];
  return expected === undefined ? null : said(expectation(expected, texts), texts.expected);
}

function said(expected: string | null, sentence: (expected: string) => string): string | null {
  return expected === null ? null : sentence(expected);
}

function expectation(words: string, texts: Texts): string | null {
  const [, type = ''] = TYPE.exec(words) ?? [];
  const name = typeName(type, texts);
  if (name !== undefined) return name;
  for (const [kind, pattern] of EXPECTATIONS) {
    const [, detail] = pattern.exec(words) ?? [];
    if (detail !== undefined) return texts.expectations[kind](detail);
  }
  return null;
}

function typeName(type: string, { types }: Texts): string | undefined {
  const names: Readonly<Record<string, string>> = { ...types, integer: types.int };
  return Object.hasOwn(names, type) ? names[type] : undefined;
}
