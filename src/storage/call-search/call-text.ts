import { sql } from 'kysely';
import type { Database, Step } from '../database/database.ts';
import { lockCall } from '../database/lock-row.ts';
import { PLACES } from '../migrations/0006-call-texts.ts';
import { textVector } from './text-vector.ts';

/** The words that were heard in an ended call, as `searchedText` writes them. */
export interface CallText {
  readonly callId: string;
  readonly words: string;
}

/** An organization's id as one word of the index. */
export function organizationWord(organizationId: string): string {
  return organizationId.replaceAll('-', '');
}

/** The steps that store the text of a call, unless its content is deleted. */
export function textSteps({ kind, query }: Pick<Database, 'kind' | 'query'>, text: CallText): readonly Step[] {
  const { callId, words } = text;
  if (words === '') return [];
  const kept = query
    .selectFrom('calls')
    .where('id', '=', callId)
    .where('deleted_ms', 'is', null)
    .select([sql<string>`replace(organization_id, '-', '')`.as('organization'), 'listed_us']);
  if (kind === 'postgres') {
    const vector = kept.select((eb) => sql<string>`(':' || replace(${eb.ref('organization_id')}, '-', ''))`.as('word'));
    const row = query
      .selectFrom(vector.as('kept'))
      .select(['organization', 'listed_us'])
      .select(sql<string>`(${textVector(words)}::tsvector || array_to_tsvector(ARRAY[word]))`.as('words'));
    const insert = query.insertInto('call_texts').columns(['organization', 'listed_us', 'words']).expression(row);
    return [...lockCall({ kind }, callId), { statement: insert }];
  }
  const first = sql`calls.listed_us * ${sql.lit(PLACES)}`;
  const place = sql<number>`coalesce((SELECT max(id) + 1 FROM call_texts WHERE id >= ${first}
    AND id < ${first} + ${sql.lit(PLACES)}), ${first})`;
  const row = kept.select([sql<string>`${words}`.as('words'), place.as('id')]);
  const insert = query.insertInto('call_texts').columns(['organization', 'listed_us', 'words', 'id']).expression(row);
  return [{ statement: insert }];
}

/** The step that deletes the text of a call. */
export function textDeletion({ query }: Pick<Database, 'query'>, callId: string): Step {
  const call = query.selectFrom('calls').where('id', '=', callId);
  const statement = query
    .deleteFrom('call_texts')
    .where('organization', '=', call.select(sql<string>`replace(organization_id, '-', '')`.as('organization')))
    .where('listed_us', '=', call.select('listed_us'));
  return { statement };
}
