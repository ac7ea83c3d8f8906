import type { Migration } from '../migrate.ts';

/** How a redirected number sends its calls on. Numbers that were there go on answering 302. */
export const redirectMode: Migration = {
  name: '0027-redirect-mode',
  statements: ({ schema }) => [
    schema.alterTable('phone_numbers').addColumn('redirect_mode', 'text', (c) => c.notNull().defaultTo('sip_302')),
  ],
};
