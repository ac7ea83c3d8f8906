import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;
type Size = Pick<z.core.$ZodIssueTooSmall, 'origin' | 'inclusive' | 'exact'>;

/** Types by the name that Zod has for them. */
const TYPES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'a boolean',
  int: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
};

const FORMATS: Readonly<Record<string, string>> = {
  date: 'an ISO 8601 date',
  datetime: 'an ISO 8601 date-time',
  url: 'a URL',
  uuid: 'a UUID',
};

/** What the size of a value counts. A size without an entry is that of a number. */
const COUNTED: Readonly<Record<string, string>> = { array: 'item', string: 'character' };

/** The words before a bound: of a count of items or characters, of a number that may equal the bound, of one that may not. */
interface BoundWords {
  readonly count: string;
  readonly inclusive: string;
  readonly exclusive: string;
}

const LOWER: BoundWords = { count: 'at least', inclusive: 'of at least', exclusive: 'above' };
const UPPER: BoundWords = { count: 'at most', inclusive: 'of at most', exclusive: 'below' };

/** Parameters of `safeParse`: our sentence for each fault for which the schema has none. */
export const PLAIN_MESSAGES = { error: messageOf };

function messageOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeMessage(issue.expected, issue.input);
    case 'invalid_value':
      return expectation(oneOf(issue.values), issue.input);
    case 'too_small':
      return sizeMessage(issue, issue.minimum, LOWER);
    case 'too_big':
      return sizeMessage(issue, issue.maximum, UPPER);
    case 'invalid_format':
      return formatMessage(issue);
    case 'not_multiple_of':
      return `expected a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `unknown field${issue.keys.length === 1 ? '' : 's'} ${issue.keys.join(', ')}`;
    case 'invalid_union':
      return unionMessage(issue);
    case 'invalid_key':
      return `the name is not valid: ${issue.issues[0]?.message}`;
    case 'invalid_element':
    case 'custom':
      return 'the value is not valid';
  }
}

function typeMessage(expected: string, input: unknown): string {
  const type = TYPES[expected] ?? `the type ${expected}`;
  const given = input === null ? 'null' : Array.isArray(input) ? 'array' : typeof input;
  // NaN, or a fraction where an integer is expected.
  const isOtherNumber = given === 'number' && (expected === 'number' || expected === 'int');
  if (input === undefined || isOtherNumber) return expectation(type, input);
  return `expected ${type}, got ${TYPES[given] ?? given}`;
}

function expectation(expected: string, input: unknown): string {
  return input === undefined ? `Required: expected ${expected}` : `expected ${expected}`;
}

function oneOf(values: readonly unknown[]): string {
  const texts = values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : String(value)));
  return texts.length === 1 ? texts.join() : `one of ${texts.join(', ')}`;
}

function sizeMessage({ exact, inclusive, origin }: Size, bound: number | bigint, words: BoundWords): string {
  const unit = COUNTED[origin];
  if (unit === undefined)
    return `expected a number ${inclusive === false ? words.exclusive : words.inclusive} ${bound}`;
  return `expected ${exact === true ? 'exactly' : words.count} ${bound} ${unit}${Number(bound) === 1 ? '' : 's'}`;
}

function formatMessage({ format, pattern }: Pick<z.core.$ZodIssueInvalidStringFormat, 'format' | 'pattern'>): string {
  if (format === 'regex') return `expected a string that matches ${pattern}`;
  return `expected ${FORMATS[format] ?? `a valid ${format}`}`;
}

/** @param issue of a union: the kind of the object is unknown, no form fits, or several forms do. */
function unionMessage(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  if (issue.inclusive === false) return 'the value fits several of the forms that are allowed';
  const { discriminator, input, options } = issue;
  if (discriminator === undefined || options === undefined) return 'the value fits none of the forms that are allowed';
  const kind: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, discriminator) : undefined;
  return expectation(oneOf(options), kind);
}
