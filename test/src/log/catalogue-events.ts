import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const CATALOGUE = join(import.meta.dirname, '../../../src/log/log-event-catalogue.ts');

/** The events of the catalogue, read from its source: types do not exist at run time. */
export const CATALOGUE_EVENTS: readonly string[] = [
  ...readFileSync(CATALOGUE, 'utf8').matchAll(/^ {2}'([^']+)': /gm),
].map(([, event = '']) => event);
