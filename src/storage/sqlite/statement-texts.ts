import type { SqlValue, WireStatement } from '../link/database-link.ts';

/**
 * A statement in a message to a worker. A prepared one has a number, and its SQL only in the first message: the texts are nine tenths of
 * what a call would send.
 */
export interface SentStatement {
  readonly number: number | null;
  readonly sql: string | null;
  readonly parameters: readonly SqlValue[];
  readonly mustChange: boolean;
}

/** The sender's end: numbers the texts that one worker has got. Every later message reaches the worker after the one with the text. */
export class SentTexts {
  readonly #numbers = new Map<string, number>();

  encode({ isPrepared, mustChange, parameters, sql }: WireStatement): SentStatement {
    if (isPrepared !== true) return { number: null, sql, parameters, mustChange };
    const known = this.#numbers.get(sql);
    if (known !== undefined) return { number: known, sql: null, parameters, mustChange };
    const number = this.#numbers.size;
    this.#numbers.set(sql, number);
    return { number, sql, parameters, mustChange };
  }
}

/** The worker's end. */
export class ReceivedTexts {
  readonly #texts: string[] = [];

  decode({ mustChange, number, parameters, sql }: SentStatement): WireStatement {
    if (number !== null && sql !== null) this.#texts[number] = sql;
    const text = sql ?? (number === null ? undefined : this.#texts[number]);
    if (text === undefined) throw new Error(`the SQL of statement ${number} was never sent`);
    return { sql: text, parameters, mustChange };
  }
}
