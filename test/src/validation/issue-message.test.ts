import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PLAIN_MESSAGES } from '../../../src/validation/issue-message.ts';
import { ISSUE_KINDS } from './issue-kinds.ts';

/** The messages of all faults, those of the forms of a union left out. */
function messagesOf(schema: z.ZodType, value: unknown): readonly string[] {
  return schema.safeParse(value, PLAIN_MESSAGES).error?.issues.map(({ message }) => message) ?? [];
}

describe('the sentence for', () => {
  it.each<(typeof ISSUE_KINDS)[number]>([
    ...ISSUE_KINDS,
    ['a check with a message', z.string().refine(() => false, 'expected luck'), 'a', 'expected luck'],
  ])('%s', (_, schema, value, message) => {
    expect(messagesOf(schema, value)).toEqual([message]);
  });
});
