import { sql } from 'kysely';
import { DEFAULT_ORGANIZATION_ID } from '../../src/storage/access/organization-repository.ts';
import { organizationWord } from '../../src/storage/call-search/call-text.ts';
import { textVector } from '../../src/storage/call-search/text-vector.ts';
import type { Database } from '../../src/storage/database/database.ts';
import { PLACES } from '../../src/storage/migrations/0006-call-texts.ts';
import { administrate } from '../../test/postgres/server.ts';

/** Rows per statement. */
const ROWS_AT_ONCE = 1_000;
/** Words of a call: of two minutes of speech. */
const WORDS = 200;
/** The words of all calls. The nth of them is in about one call in `n / 30`, as in a language. */
const VOCABULARY = 20_000;

/** In each call. */
export const EVERY_WORD = 'hello';
/** Each in half of the calls, never together. */
export const EVEN_WORD = 'evenly';
export const ODD_WORD = 'oddly';
/** In one call in 20,000. */
export const RARE_WORD = 'xylophone';
/** In one call in 200. */
export const SOME_WORD = 'refund';

/** Memory that the indexes are built in: SQLite's while texts are added, PostgreSQL's at the end. The default writes each entry often. */
const SQLITE_INDEX_BYTES = 64 * 2 ** 20;
const POSTGRES_INDEX_MEMORY = '512MB';
/** FTS5's default. */
const SQLITE_INDEX_BYTES_DEFAULT = 2 ** 20;

/**
 * Prepares the index for many texts. PostgreSQL: it is dropped, for adding the texts one by one takes hours; `databaseUrl` creates it again
 * without the timeout of the service. Returns the function that ends this.
 */
export async function dropTextIndex(
  { kind, query }: Database,
  databaseUrl: string | null,
): Promise<() => Promise<unknown>> {
  if (kind === 'sqlite' || databaseUrl === null) {
    const keep = (bytes: number) =>
      sql`INSERT INTO call_text_index (call_text_index, rank) VALUES ('hashsize', ${sql.lit(bytes)})`.execute(query);
    await keep(SQLITE_INDEX_BYTES);
    return () => keep(SQLITE_INDEX_BYTES_DEFAULT);
  }
  const index = sql.lit('call_texts_words');
  const { rows } = await sql<{ indexdef: string }>`SELECT indexdef FROM pg_indexes WHERE indexname = ${index}`.execute(
    query,
  );
  await sql`DROP INDEX call_texts_words`.execute(query);
  const created = rows.map(({ indexdef }) => indexdef).join('; ');
  return () => administrate(databaseUrl, `SET maintenance_work_mem = '${POSTGRES_INDEX_MEMORY}'; ${created}`);
}

/** Stores the texts of the calls `from` to `to`; their places in the list by `placeUs`. */
export async function storeTexts(
  { atomically, kind, query }: Database,
  from: number,
  to: number,
  placeUs: (n: number) => number,
) {
  const organization = organizationWord(DEFAULT_ORGANIZATION_ID);
  const rows = Array.from({ length: to - from }, (_, nth) => {
    const listedUs = placeUs(from + nth);
    const words = textOf(from + nth);
    const vector = () => `${textVector(words)} ':${organization}'`;
    return {
      organization,
      listed_us: listedUs,
      words: kind === 'sqlite' ? words : vector(),
      ...(kind === 'sqlite' && { id: sql<number>`CAST(${listedUs} AS integer) * ${sql.lit(PLACES)}` }),
    };
  });
  const parts = Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, nth) =>
    rows.slice(nth * ROWS_AT_ONCE, (nth + 1) * ROWS_AT_ONCE),
  );
  await atomically(parts.map((part) => ({ statement: query.insertInto('call_texts').values(part) })));
}

function textOf(n: number): string {
  let seed = n + 1;
  const words = [EVERY_WORD, n % 2 === 0 ? EVEN_WORD : ODD_WORD];
  if (n % 20_000 === 0) words.push(RARE_WORD);
  if (n % 200 === 0) words.push(SOME_WORD);
  while (words.length < WORDS) {
    seed = (seed * 48_271) % 2_147_483_647;
    words.push(`word${Math.floor(VOCABULARY ** (seed / 2_147_483_647)).toString(36)}`);
  }
  return ` ${words.join(' ')} `;
}
