import pg from 'pg';

/** pg returns int8 and numeric as text. Ours are times, counts and sums below 2^53, so they become numbers. */
const NUMBER_TYPES: readonly number[] = [pg.types.builtins.INT8, pg.types.builtins.NUMERIC];

export const NUMBERS_FROM_TEXT: pg.CustomTypesConfig = {
  getTypeParser: (type, format) =>
    NUMBER_TYPES.includes(type) ? Number : pg.types.getTypeParser(type, format ?? 'text'),
};
