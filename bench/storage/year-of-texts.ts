import { sql } from 'kysely';
import { DEFAULT_ORGANIZATION_ID } from '../../src/storage/access/organization-repository.ts';
import { organizationWord } from '../../src/storage/call-search/call-text.ts';
import { textVector } from '../../src/storage/call-search/text-vector.ts';
import type { Database } from '../../src/storage/database/database.ts';
import { PLACES } from '../../src/storage/migrations/0006-call-texts.ts';

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

/** PostgreSQL: adding the texts to the index one by one takes hours. Returns the function that creates the index again. */
export async function dropTextIndex({ kind, query }: Database): Promise<() => Promise<unknown>> {
  if (kind === 'sqlite') return async () => {};
  const index = sql.lit('call_texts_words');
  const { rows } = await sql<{ indexdef: string }>`SELECT indexdef FROM pg_indexes WHERE indexname = ${index}`.execute(
    query,
  );
  await sql`DROP INDEX call_texts_words`.execute(query);
  return async () => {
    for (const { indexdef } of rows) await sql.raw(indexdef).execute(query);
  };
}

/** Stores the texts of the calls `from` to `to`; their places in the list by `placeUs`. */
export async function storeTexts({ kind, query }: Database, from: number, to: number, placeUs: (n: number) => number) {
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
  for (let at = 0; at < rows.length; at += 1_000) {
    await query
      .insertInto('call_texts')
      .values(rows.slice(at, at + 1_000))
      .execute();
  }
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
