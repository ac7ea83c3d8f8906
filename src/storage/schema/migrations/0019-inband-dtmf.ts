import type { Migration } from '../migrate.ts';

/** Whether keys are looked for in the audio of a trunk's calls. Trunks that were there go on without. */
export const inbandDtmf: Migration = {
  name: '0019-inband-dtmf',
  statements: ({ schema }) => [
    schema.alterTable('sip_trunks').addColumn('inband_dtmf', 'integer', (c) => c.notNull().defaultTo(0)),
  ],
};
