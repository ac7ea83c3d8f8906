import { type SqlBool, sql } from 'kysely';
import { organizationWord } from './call-text.ts';
import { checkedText } from './checked-text.ts';
import { allOf } from './condition.ts';
import type { Driver, Stretch } from './driver.ts';
import { newestTexts } from './newest-texts.ts';
import type { SearchedPhrase } from './text-query.ts';
import { vectorQuery } from './text-vector.ts';

/**
 * PostgreSQL's index has no order, so it finds the calls only if a word of the query is rare. The index intersects the calls of that word with
 * those of the other whole words: for each of its calls it looks up the others. Phrases and other beginnings of words are checked, because the
 * index would read all places of a common beginning. Without a rare word the newest calls of the list are checked.
 */
export async function postgresTextDriver(ofSearch: Stretch, phrases: readonly SearchedPhrase[]): Promise<Driver> {
  const { bounds, organizationId, query } = ofSearch;
  const inText = sql<SqlBool>`coalesce(text.words, '') @@ ${vectorQuery(phrases)}::tsquery`;
  const checked = checkedText(organizationId, inText);
  const words = phrases.flatMap((phrase) =>
    phrase.words.map((word, nth) => ({ words: [word], isPrefix: phrase.isPrefix && nth === phrase.words.length - 1 })),
  );
  const having = (some: readonly SearchedPhrase[]) => {
    const wanted = `':${organizationWord(organizationId)}' & ${vectorQuery(some)}`;
    return query.selectFrom('call_texts as text').where(sql<SqlBool>`text.words @@ ${wanted}::tsquery`);
  };
  const plans = await Promise.all(words.map((word) => having([word]).select('text.listed_us').explain('json')));
  const estimates = plans.map(([plan]) => estimatedRows(plan));
  const fewest = Math.min(...estimates);
  const rarest = words[estimates.indexOf(fewest)];
  if (rarest === undefined || fewest > bounds.indexedMax) return newestTexts(checked);
  const indexed = [...new Set([rarest, ...words.filter(({ isPrefix }) => !isPrefix)])];
  const isIndexed = words.length === phrases.length && indexed.length === words.length;
  // The sum hides `listed_us` from the database, which would otherwise read the list's index.
  const place = sql<number>`(text.listed_us + 0)`;
  return {
    isDirect: true,
    checked,
    reachUs: async () => null,
    find: async ({ oldestUs, placeUs }, others, limit) => {
      const texts = having(indexed)
        .where(allOf(isIndexed ? [] : [inText]))
        .where(place, '<', placeUs)
        .where(place, '>=', oldestUs)
        .select(place.as('listed_us'))
        .orderBy('listed_us', 'desc')
        .$if(others.length === 0, (all) => all.limit(limit))
        // Without a limit the offset keeps the sort before the join, which then reads only the calls of the page.
        .$if(others.length > 0, (all) => all.offset(0));
      const rows = await query
        .selectFrom(texts.as('found'))
        .innerJoin('calls', (join) =>
          join.onRef('calls.listed_us', '=', 'found.listed_us').on('calls.organization_id', '=', organizationId),
        )
        .where(allOf(others))
        .selectAll('calls')
        .orderBy('found.listed_us', 'desc')
        .limit(limit)
        .execute();
      return { rows, stoppedUs: null };
    },
  };
}

const NO_ESTIMATE = Number.POSITIVE_INFINITY;

/** The rows that PostgreSQL expects, from the answer to `EXPLAIN (FORMAT JSON)`. Its statistics count the common words of a table. */
function estimatedRows(explained: unknown): number {
  const [plan] = Object.values(explained ?? {});
  const top: unknown = Array.isArray(plan) ? plan[0]?.Plan?.['Plan Rows'] : undefined;
  return typeof top === 'number' ? top : NO_ESTIMATE;
}
