import { ADAPTERS_IMPORTS } from './imports/adapters.ts';
import { BASE_IMPORTS } from './imports/base.ts';
import { ENGINE_IMPORTS } from './imports/engine.ts';
import { SIP_IMPORTS } from './imports/sip.ts';
import { SRC_IMPORTS } from './imports/src.ts';

/**
 * The folders that each folder may import, in addition to itself and its subfolders. A folder includes its subfolders.
 * Each topic (a subfolder of a top folder) has an entry. A folder inside a topic can have a separate entry.
 */
export const IMPORTS: Record<string, readonly string[]> = {
  ...BASE_IMPORTS,
  ...ENGINE_IMPORTS,
  ...SIP_IMPORTS,
  ...ADAPTERS_IMPORTS,
  ...SRC_IMPORTS,
};
