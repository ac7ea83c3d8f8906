import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { DatabaseKind } from '../link/database-link.ts';
import { PLACES, PREFIX_LENGTHS } from '../migrations/0006-call-texts.ts';
import { organizationWord } from './call-text.ts';
import { allOf, type CallCondition } from './condition.ts';
import { columnDriver, type Driver, EVERY_CALL, type Stretch } from './driver.ts';
import type { SearchedPhrase } from './text-query.ts';
import { vectorQuery } from './text-vector.ts';

/** Texts that are read and checked for one page: each takes some ten µs. */
const CHECKED_MAX = 2_000;

/** Calls in which phrases were heard; at least one. */
export async function textDriver(
  kind: DatabaseKind,
  stretch: Stretch,
  phrases: readonly SearchedPhrase[],
): Promise<Driver> {
  switch (kind) {
    case 'sqlite':
      return sqliteDriver(stretch, phrases);
    case 'postgres':
      return postgresDriver(stretch, phrases);
  }
}

/**
 * The text of the call has a condition on `text`. A subquery for one value: the databases look up the text of each call that they read,
 * and never join all texts.
 */
function checkedText({ organizationId }: Stretch, condition: CallCondition): CallCondition {
  return sql<SqlBool>`(SELECT count(*) FROM call_texts AS text WHERE text.organization = ${organizationWord(organizationId)}
    AND text.listed_us = calls.listed_us AND ${condition}) > 0`;
}

/**
 * FTS5 returns calls in list order, because the list order is that of its row ids. It has an index of prefixes of two lengths: it finds
 * by the longer one that fits, and the text itself is checked. Prefixes of other lengths would be merged from all their words.
 */
function sqliteDriver(ofSearch: Stretch, phrases: readonly SearchedPhrase[]): Driver {
  const inText = allOf(
    phrases.map(
      ({ isPrefix, words }) => sql<SqlBool>`instr(text.words, ${` ${words.join(' ')}${isPrefix ? '' : ' '}`}) > 0`,
    ),
  );
  const isExact = phrases.every(
    ({ isPrefix, words }) => !isPrefix || words.at(-1) === indexedPrefix(words.at(-1) ?? ''),
  );
  // Several beginnings may share the indexed one: FTS5 would read its calls once for each.
  const matches = [...new Set(phrases.map(matchOf))];
  const match = `organization : "${organizationWord(ofSearch.organizationId)}" AND words : (${matches.join(' AND ')})`;
  const found = ({ oldestUs, placeUs, query }: Stretch) =>
    query
      .selectFrom('call_text_index as found')
      .where('found.call_text_index', sql`MATCH`, match)
      .where('found.rowid', '<', rowId(placeUs))
      .where('found.rowid', '>=', rowId(oldestUs))
      .orderBy('found.rowid', 'desc');
  return {
    isExact,
    checked: checkedText(ofSearch, inText),
    floorUs: async (stretch) => {
      const last = found(stretch)
        .select(sql<number>`found.rowid / ${sql.lit(PLACES)}`.as('listed_us'))
        .limit(1)
        .offset(isExact ? stretch.bounds.readMax : Math.min(stretch.bounds.readMax, CHECKED_MAX));
      return (await last.executeTakeFirst())?.listed_us ?? null;
    },
    find: (stretch, others, limit) =>
      found(stretch)
        // SQLite keeps the order of a cross join: the found ones first.
        .crossJoin('call_texts as text')
        .crossJoin('calls')
        .where('text.id', '=', sql.ref<number>('found.rowid'))
        .where('calls.organization_id', '=', stretch.organizationId)
        .whereRef('calls.listed_us', '=', 'text.listed_us')
        .where(allOf(isExact ? others : [inText, ...others]))
        .selectAll('calls')
        .limit(limit)
        .execute(),
  };
}

/** The first row id of a place. As an integer, which the index needs. */
function rowId(placeUs: number): RawBuilder<number> {
  return sql<number>`CAST(${Math.max(0, placeUs)} AS integer) * ${sql.lit(PLACES)}`;
}

function matchOf({ isPrefix, words }: SearchedPhrase): string {
  const last = words.at(-1) ?? '';
  const kept = isPrefix ? [...words.slice(0, -1), indexedPrefix(last)] : words;
  return `"${kept.join(' ')}"${isPrefix ? '*' : ''}`;
}

function indexedPrefix(word: string): string {
  const letters = [...word];
  const length = PREFIX_LENGTHS.findLast((indexed) => indexed <= letters.length) ?? letters.length;
  return letters.slice(0, length).join('');
}

/**
 * PostgreSQL's index has no order, so it finds only words that few calls have. The rarest word of the query finds them, and the rest is
 * checked, because the index would read all places of a common word. Without a rare word the newest calls of the list are checked.
 */
async function postgresDriver(ofSearch: Stretch, phrases: readonly SearchedPhrase[]): Promise<Driver> {
  const { bounds, organizationId, query } = ofSearch;
  const inText = sql<SqlBool>`coalesce(text.words, '') @@ ${vectorQuery(phrases)}::tsquery`;
  const checked = checkedText(ofSearch, inText);
  const words = phrases.flatMap((phrase) =>
    phrase.words.map((word, nth) => ({ words: [word], isPrefix: phrase.isPrefix && nth === phrase.words.length - 1 })),
  );
  const ofOrganization = `':${organizationWord(organizationId)}'`;
  const indexed = words.map((word) => {
    const wanted = `${ofOrganization} & ${vectorQuery([word])}`;
    return query.selectFrom('call_texts as text').where(sql<SqlBool>`text.words @@ ${wanted}::tsquery`);
  });
  const counts = await Promise.all(indexed.map((texts) => texts.select('text.listed_us').explain('json')));
  const estimates = counts.map(([plan]) => estimatedRows(plan));
  const fewest = Math.min(...estimates);
  const rarest = indexed[estimates.indexOf(fewest)];
  const every = columnDriver(EVERY_CALL);
  if (rarest === undefined || fewest > bounds.sortedMax) {
    const find: Driver['find'] = (stretch, others, limit) => every.find(stretch, [checked, ...others], limit);
    const floorUs: Driver['floorUs'] = (stretch) => {
      return every.floorUs({ ...stretch, bounds: { ...bounds, readMax: Math.min(bounds.readMax, CHECKED_MAX) } });
    };
    return { isExact: false, checked, floorUs, find };
  }
  // The sum hides `listed_us` from the database, which would otherwise read the list's index.
  const place = sql<number>`(text.listed_us + 0)`;
  return {
    isExact: true,
    checked,
    floorUs: async () => null,
    find: ({ oldestUs, placeUs }, others, limit) =>
      rarest
        .innerJoin('calls', (join) =>
          join.onRef('calls.listed_us', '=', 'text.listed_us').on('calls.organization_id', '=', organizationId),
        )
        .where(allOf([inText, ...others]))
        .where(place, '<', placeUs)
        .where(place, '>=', oldestUs)
        .selectAll('calls')
        .orderBy(place, 'desc')
        .limit(limit)
        .execute(),
  };
}

const NO_ESTIMATE = Number.POSITIVE_INFINITY;

/** The rows that PostgreSQL expects, from the answer to `EXPLAIN (FORMAT JSON)`. Its statistics count the common words of a table. */
function estimatedRows(explained: unknown): number {
  const [plan] = Object.values(explained ?? {});
  const top: unknown = Array.isArray(plan) ? plan[0]?.Plan?.['Plan Rows'] : undefined;
  return typeof top === 'number' ? top : NO_ESTIMATE;
}
