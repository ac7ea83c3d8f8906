import { sql } from 'kysely';
import { organizationWord } from './call-text.ts';
import type { CallCondition } from './condition.ts';

/**
 * The text of the call has a condition on `text`. A subquery for one value: the databases look up the text of each call that they read,
 * and never join all texts.
 */
export function checkedText(organizationId: string, condition: CallCondition): CallCondition {
  return sql`(SELECT count(*) FROM call_texts AS text WHERE text.organization = ${organizationWord(organizationId)}
    AND text.listed_us = calls.listed_us AND ${condition}) > 0`;
}
