import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { JsonValue } from '../../engine/agent/json-value.ts';
import type { TranscriptEntry } from '../../engine/ports/journal.ts';
import type { CallView } from '../../engine/session/start-call.ts';
import { includesValue, jsonObjectSchema, type TestJsonObject } from './expected-json.ts';

/** One condition of a turn. */
export type Condition =
  /** Agent speech contains this text or matches this regular expression. */
  | { readonly type: 'text'; readonly pattern: string | RegExp }
  /** A call of this tool with at least these arguments. */
  | { readonly type: 'tool'; readonly name: string; readonly arguments: TestJsonObject }
  /** The state at the end of the turn. */
  | { readonly type: 'state'; readonly name: string }
  /** Values at the end of the turn. */
  | { readonly type: 'variable'; readonly values: TestJsonObject };

export interface Expectation {
  readonly condition: Condition;
  /** The condition must not be true. */
  readonly absent: boolean;
}

/** The observable result of a turn. */
export interface TurnResult {
  /** Entries of the turn in order. */
  readonly entries: readonly TranscriptEntry[];
  readonly state: string;
  readonly variables: CallView['variables'];
}

const CONDITION_FIELDS = ['text', 'tool', 'state', 'variable'] as const;

const conditionFields = {
  text: z.string().min(1).optional().describe('Substring, or /regular expression/flags.'),
  tool: z.string().min(1).optional(),
  arguments: jsonObjectSchema.optional().describe('With tool: a subset of its arguments.'),
  state: z.string().min(1).optional(),
  variable: jsonObjectSchema.optional(),
};
type ConditionFields = z.output<z.ZodObject<typeof conditionFields>>;

const conditionSchema = z.strictObject(conditionFields).transform(conditionOf);

/** One item of `expect`. */
export const expectationSchema = z
  .strictObject({ ...conditionFields, absent: conditionSchema.optional() })
  .transform(({ absent, ...fields }, context): Expectation => {
    if (absent === undefined) return { condition: conditionOf(fields, context), absent: false };
    const beside = Object.keys(fields).find((key) => fields[key as keyof ConditionFields] !== undefined);
    if (beside !== undefined)
      context.addIssue({ code: 'custom', message: `expected absent alone, not with ${beside}` });
    return { condition: absent, absent: true };
  });

function conditionOf(fields: ConditionFields, context: z.RefinementCtx): Condition {
  const given = CONDITION_FIELDS.filter((key) => fields[key] !== undefined);
  if (given.length !== 1) {
    context.addIssue({ code: 'custom', message: `expected exactly one of ${CONDITION_FIELDS.join(', ')}` });
    return z.NEVER;
  }
  if (fields.arguments !== undefined && fields.tool === undefined) {
    context.addIssue({ code: 'custom', path: ['arguments'], message: 'expected only together with tool' });
  }
  if (fields.text !== undefined) return { type: 'text', pattern: patternOf(fields.text, context) };
  if (fields.tool !== undefined) return { type: 'tool', name: fields.tool, arguments: fields.arguments ?? {} };
  if (fields.state !== undefined) return { type: 'state', name: fields.state };
  return { type: 'variable', values: fields.variable ?? {} };
}

function patternOf(text: string, context: z.RefinementCtx): string | RegExp {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(text) ?? [];
  if (source === undefined) return text;
  try {
    return new RegExp(source, flags);
  } catch (error) {
    context.addIssue({
      code: 'custom',
      path: ['text'],
      message: error instanceof Error ? error.message : String(error),
    });
    return text;
  }
}

export function isMet({ condition, absent }: Expectation, turn: TurnResult): boolean {
  return holds(condition, turn) !== absent;
}

function holds(condition: Condition, { entries, state, variables }: TurnResult): boolean {
  switch (condition.type) {
    case 'text': {
      const { pattern } = condition;
      const said = spokenText(entries);
      return typeof pattern === 'string' ? said.includes(pattern) : said.search(pattern) >= 0;
    }
    case 'tool':
      return entries.some(
        (entry) =>
          entry.role === 'tool_call' &&
          entry.name === condition.name &&
          includesValue(entry.arguments, condition.arguments),
      );
    case 'state':
      return state === condition.name;
    case 'variable':
      return Object.entries(condition.values).every(([name, value]) =>
        isDeepStrictEqual(variableValue(variables, name), value),
      );
  }
}

/** The expectation in words, as in the file. */
export function describeExpectation({ condition, absent }: Expectation): string {
  return `${absent ? 'no ' : ''}${describeCondition(condition)}`;
}

function describeCondition(condition: Condition): string {
  switch (condition.type) {
    case 'text':
      return `text ${typeof condition.pattern === 'string' ? JSON.stringify(condition.pattern) : String(condition.pattern)}`;
    case 'tool': {
      const hasArguments = Object.keys(condition.arguments).length > 0;
      return `tool ${condition.name}${hasArguments ? ` with ${JSON.stringify(condition.arguments)}` : ''}`;
    }
    case 'state':
      return `state ${condition.name}`;
    case 'variable':
      return `variable ${JSON.stringify(condition.values)}`;
  }
}

/** The actual value, if the transcript of the turn does not show it. */
export function actualOf({ condition }: Expectation, { state, variables }: TurnResult): string | null {
  if (condition.type === 'state') return `state ${state}`;
  if (condition.type !== 'variable') return null;
  const known = Object.keys(condition.values).map((name) => {
    const value = variableValue(variables, name);
    return `${name} ${value === undefined ? 'has no value' : `= ${JSON.stringify(value)}`}`;
  });
  return known.join(', ');
}

/** All agent speech of the turn, joined by spaces. */
function spokenText(entries: readonly TranscriptEntry[]): string {
  return entries.flatMap((entry) => (entry.role === 'agent' ? [entry.content] : [])).join(' ');
}

function variableValue(variables: CallView['variables'], name: string): JsonValue | undefined {
  return variables.find((variable) => variable.name === name)?.value;
}
