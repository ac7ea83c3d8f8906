import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { PLACES, PREFIX_LENGTHS } from '../migrations/0006-call-texts.ts';
import { organizationWord } from './call-text.ts';
import { checkedText } from './checked-text.ts';
import { allOf } from './condition.ts';
import { columnDriver, type Driver, EVERY_CALL, type FoundRows, type Stretch } from './driver.ts';
import { newestTexts } from './newest-texts.ts';
import type { SearchedPhrase } from './text-query.ts';

/** Common words that FTS5 intersects: those of a million calls take 0.15 s of CPU if they never meet. */
const INTERSECTED_MAX = 2;

/** The place of a row of the index. */
const PLACE = sql<number>`found.rowid / ${sql.lit(PLACES)}`;

/**
 * FTS5 returns calls in list order, because the list order is that of its row ids. It has an index of prefixes of two lengths: it finds
 * by the longer one that fits, and the text itself is checked. Prefixes of other lengths would be merged from all their words.
 *
 * FTS5 intersects the calls of all words of a query, those of the organization included. A range of row ids does not bound that: it looks for
 * the next call with all words first, through the whole index. So the texts of the newest calls are checked where a phrase or more than
 * `INTERSECTED_MAX` words are common, which may never meet.
 */
export async function sqliteTextDriver(ofSearch: Stretch, phrases: readonly SearchedPhrase[]): Promise<Driver> {
  const inText = allOf(
    phrases.map(
      ({ isPrefix, words }) => sql<SqlBool>`instr(text.words, ${` ${words.join(' ')}${isPrefix ? '' : ' '}`}) > 0`,
    ),
  );
  const checked = checkedText(ofSearch.organizationId, inText);
  const terms = termsOf(phrases);
  const isSlow = terms.length > INTERSECTED_MAX || phrases.some(({ words }) => words.length > 1);
  if (isSlow && (await windowUs(ofSearch, terms)) !== null) return newestTexts(checked);
  const isMatched = phrases.every(
    ({ isPrefix, words }) => !isPrefix || words.at(-1) === indexedPrefix(words.at(-1) ?? ''),
  );
  // Several beginnings may share the indexed one: FTS5 would read its calls once for each.
  const matches = [...new Set(phrases.map(matchOf))];
  const organization = organizationWord(ofSearch.organizationId);
  const match = `organization : "${organization}" AND words : (${matches.join(' AND ')})`;
  const readMax = ({ bounds }: Stretch) => (isMatched ? bounds.readMax : Math.min(bounds.readMax, bounds.checkedMax));
  return {
    isDirect: false,
    checked,
    reachUs: (stretch) => windowUs(stretch, terms),
    find: async (stretch, others, limit): Promise<FoundRows> => {
      const read = found(stretch, match)
        .select('found.rowid as id')
        .limit(readMax(stretch) + 1);
      const rows = await stretch.query
        .selectFrom(read.as('read'))
        // SQLite keeps the order of a cross join: the found ones first.
        .crossJoin('call_texts as text')
        .crossJoin('calls')
        .where('text.id', '=', sql.ref<number>('read.id'))
        .where('calls.organization_id', '=', stretch.organizationId)
        .whereRef('calls.listed_us', '=', 'text.listed_us')
        .where(allOf(isMatched ? others : [inText, ...others]))
        .selectAll('calls')
        .limit(limit)
        .execute();
      // Without conditions to check, each call that was read is in the rows.
      const readAll = isMatched && others.length === 0 && rows.length <= readMax(stretch);
      if (rows.length === limit || readAll) return { rows, stoppedUs: null };
      return { rows, stoppedUs: await nthPlaceUs(stretch, match, readMax(stretch)) };
    },
  };
}

/** Calls that an expression of FTS5 finds, in list order. */
function found({ oldestUs, placeUs, query }: Stretch, match: string) {
  return query
    .selectFrom('call_text_index as found')
    .where('found.call_text_index', sql`MATCH`, match)
    .where('found.rowid', '<', rowId(placeUs))
    .where('found.rowid', '>=', rowId(oldestUs))
    .orderBy('found.rowid', 'desc');
}

/** The place of the nth call that an expression finds, from 0; null: it finds fewer. */
async function nthPlaceUs(stretch: Stretch, match: string, nth: number): Promise<number | null> {
  const place = await found(stretch, match).select(PLACE.as('listed_us')).limit(1).offset(nth).executeTakeFirst();
  return place?.listed_us ?? null;
}

/**
 * The place down to which FTS5 intersects the calls of all words: that of the nth call of the rarest word, which may be the organization,
 * but not before the newest `windowMax` calls. Null if one of the words is rare: then all of its calls are read.
 */
async function windowUs(stretch: Stretch, terms: readonly string[]): Promise<number | null> {
  const { bounds, organizationId } = stretch;
  const wanted = [`organization : "${organizationWord(organizationId)}"`, ...terms.map((term) => `words : ${term}`)];
  const [newestUs, ...placesUs] = await Promise.all([
    columnDriver(EVERY_CALL).reachUs({ ...stretch, bounds: { ...bounds, readMax: bounds.windowMax } }),
    ...wanted.map((match) => nthPlaceUs(stretch, match, bounds.commonMin)),
  ]);
  return placesUs.reduce<number | null>(
    (oldest, placeUs) => (oldest === null || placeUs === null ? null : Math.min(oldest, placeUs)),
    newestUs,
  );
}

/** The first row id of a place. As an integer, which the index needs. */
function rowId(placeUs: number): RawBuilder<number> {
  return sql<number>`CAST(${Math.max(0, placeUs)} AS integer) * ${sql.lit(PLACES)}`;
}

/** The words of all phrases, each as an expression of FTS5. */
function termsOf(phrases: readonly SearchedPhrase[]): readonly string[] {
  const terms = phrases.flatMap(({ isPrefix, words }) =>
    words.map((word, nth) => matchOf({ words: [word], isPrefix: isPrefix && nth === words.length - 1 })),
  );
  return [...new Set(terms)];
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
