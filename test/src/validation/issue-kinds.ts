import { z } from 'zod';

const KINDS = z.discriminatedUnion('type', [z.object({ type: z.literal('a') }), z.object({ type: z.literal('b') })]);
const FORMS = z.xor([z.object({ a: z.string() }), z.object({ b: z.string() })]);

/** Each kind of fault that has a sentence of ours: its name, a schema, a faulty value, the sentence. */
export const ISSUE_KINDS: readonly (readonly [string, z.ZodType, unknown, string])[] = [
  ['another type', z.string(), 7, 'expected a string, got a number'],
  ['null', z.object({}), null, 'expected an object, got null'],
  ['an array', z.boolean(), [], 'expected a boolean, got an array'],
  ['a missing value', z.array(z.string()), undefined, 'Required: expected an array'],
  ['a fraction', z.int(), 1.5, 'expected an integer'],
  ['text in place of a number', z.coerce.number(), 'many', 'expected a number'],
  ['a value that is not listed', z.enum(['a', 'b']), 'c', 'expected one of "a", "b"'],
  ['a missing value of a list', z.enum(['a', 'b']), undefined, 'Required: expected one of "a", "b"'],
  ['a value that is not the only one', z.literal(true), false, 'expected true'],
  ['a short text', z.string().min(2), 'a', 'expected at least 2 characters'],
  ['a long text', z.string().max(1), 'ab', 'expected at most 1 character'],
  ['a text of another length', z.string().length(3), 'ab', 'expected exactly 3 characters'],
  ['an empty list', z.array(z.string()).min(1), [], 'expected at least 1 item'],
  ['a low number', z.number().min(3), 2, 'expected a number of at least 3'],
  ['a high number', z.number().max(3), 4, 'expected a number of at most 3'],
  ['a number at an open bound', z.number().positive(), 0, 'expected a number above 0'],
  ['a number at an open upper bound', z.number().lt(5), 5, 'expected a number below 5'],
  ['a number between steps', z.number().multipleOf(5), 7, 'expected a multiple of 5'],
  ['a text of another form', z.string().regex(/^a+$/), 'b', 'expected a string that matches /^a+$/'],
  ['no UUID', z.uuid(), 'a', 'expected a UUID'],
  ['no time', z.iso.datetime(), 'today', 'expected an ISO 8601 date-time'],
  ['no address of mail', z.email(), 'a', 'expected a valid email'],
  ['an unknown field', z.strictObject({}), { a: 1 }, 'unknown field a'],
  ['several unknown fields', z.strictObject({}), { a: 1, b: 2 }, 'unknown fields a, b'],
  ['an unknown kind', KINDS, { type: 'c' }, 'expected one of "a", "b"'],
  ['a missing kind', KINDS, {}, 'Required: expected one of "a", "b"'],
  ['none of several forms', FORMS, {}, 'the value fits none of the forms that are allowed'],
  ['more than one form', FORMS, { a: '', b: '' }, 'the value fits several of the forms that are allowed'],
  [
    'a name of another form',
    z.record(z.string().max(1), z.string()),
    { ab: '' },
    'the name is not valid: expected at most 1 character',
  ],
  ['a check without a message', z.string().refine(() => false), 'a', 'the value is not valid'],
];
