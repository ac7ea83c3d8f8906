import { sql } from 'kysely';
import { DEFAULT_ORGANIZATION_ID } from '../../src/storage/access/organization-repository.ts';
import { organizationWord } from '../../src/storage/call-search/call-text.ts';
import { textVector } from '../../src/storage/call-search/text-vector.ts';
import type { Database } from '../../src/storage/database/database.ts';
import { PLACES } from '../../src/storage/migrations/0006-call-texts.ts';

/** Calls of different texts: a multiple of the rows that are stored at once, and each of the words below stands in as many of them. */
const PERIOD = 20_000;
/** Rows per statement. */
const ROWS_AT_ONCE = 1_000;
/** Words of a call: those of both sides in a minute. */
const WORDS = 100;
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

/** SQLite writes the index and the log in larger parts: bytes of the index in memory, pages of the log, KiB of the cache. */
const FILLING = { hashsize: 64 * 2 ** 20, wal_autocheckpoint: 50_000, cache_size: -500_000 };
/** The defaults of SQLite, which the service has. */
const DEFAULTS = { hashsize: 2 ** 20, wal_autocheckpoint: 1_000, cache_size: -2_000 };

/** SQLite: prepares the writer for many texts. Returns the function that ends this. */
export async function prepareTexts({ kind, query }: Database): Promise<() => Promise<void>> {
  const set = async ({ cache_size, hashsize, wal_autocheckpoint }: typeof DEFAULTS) => {
    if (kind !== 'sqlite') return;
    await sql`INSERT INTO call_text_index (call_text_index, rank) VALUES ('hashsize', ${sql.lit(hashsize)})`.execute(
      query,
    );
    await sql`PRAGMA wal_autocheckpoint = ${sql.lit(wal_autocheckpoint)}`.execute(query);
    await sql`PRAGMA cache_size = ${sql.lit(cache_size)}`.execute(query);
  };
  await set(FILLING);
  return () => set(DEFAULTS);
}

/**
 * Stores the texts of the calls `from` to `to`, whose places in the list are `placeUs`. Those of the first calls are written here; each of
 * the others has the text of the call that is a whole number of periods before it.
 */
export async function storeTexts(database: Database, from: number, to: number, placeUs: (n: number) => number) {
  if (from < PERIOD) await writeTexts(database, from, Math.min(to, PERIOD), placeUs);
  if (to > PERIOD) await copyTexts(database, Math.max(from, PERIOD), to, placeUs);
}

async function writeTexts(
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

async function copyTexts({ kind, query }: Database, from: number, to: number, placeUs: (n: number) => number) {
  const first = from % PERIOD;
  const shiftUs = placeUs(from) - placeUs(first);
  const id = sql`, (listed_us + ${sql.lit(shiftUs)}) * ${sql.lit(PLACES)}`;
  await sql`INSERT INTO call_texts (organization, listed_us, words ${kind === 'sqlite' ? sql`, id` : sql``})
    SELECT organization, listed_us + ${sql.lit(shiftUs)}, words ${kind === 'sqlite' ? id : sql``} FROM call_texts
    WHERE organization = ${organizationWord(DEFAULT_ORGANIZATION_ID)} AND listed_us >= ${placeUs(first)}
      AND listed_us < ${placeUs(first + to - from)}`.execute(query);
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
