import type { ImportTable } from './import-table.ts';
import { ADAPTERS_IMPORTS } from './imports/adapters.ts';
import { BASE_IMPORTS } from './imports/base.ts';
import { CONSOLE_IMPORTS } from './imports/console.ts';
import { ENGINE_IMPORTS } from './imports/engine.ts';
import { SIP_IMPORTS } from './imports/sip.ts';
import { SIP_MEDIA_IMPORTS } from './imports/sip-media.ts';
import { SRC_IMPORTS } from './imports/src.ts';
import { SRC_API_IMPORTS } from './imports/src-api.ts';
import { SRC_CALLS_IMPORTS } from './imports/src-calls.ts';
import { SRC_CLI_IMPORTS } from './imports/src-cli.ts';
import { SRC_STORAGE_IMPORTS } from './imports/src-storage.ts';

/**
 * One entry for each folder of the product that directly contains files. A subfolder is another folder: neither it nor
 * its parent may import the other without an entry. Before you add an entry, check whether the file is in the right
 * folder.
 */
export const IMPORTS: ImportTable = {
  ...BASE_IMPORTS,
  ...ENGINE_IMPORTS,
  ...SIP_IMPORTS,
  ...SIP_MEDIA_IMPORTS,
  ...ADAPTERS_IMPORTS,
  ...SRC_IMPORTS,
  ...SRC_API_IMPORTS,
  ...SRC_CALLS_IMPORTS,
  ...SRC_CLI_IMPORTS,
  ...SRC_STORAGE_IMPORTS,
  ...CONSOLE_IMPORTS,
};
