import { ADAPTERS_IMPORTS } from './imports/adapters.ts';
import { BASE_IMPORTS } from './imports/base.ts';
import { ENGINE_IMPORTS } from './imports/engine.ts';
import { SIP_IMPORTS } from './imports/sip.ts';
import { SRC_IMPORTS } from './imports/src.ts';

/**
 * Which folders each folder may import, beside itself and the folders inside it. A folder stands for all that is inside it.
 * Each topic (a folder of a room) has an entry; a folder inside a topic may have one of its own.
 */
export const IMPORTS: Record<string, readonly string[]> = {
  ...BASE_IMPORTS,
  ...ENGINE_IMPORTS,
  ...SIP_IMPORTS,
  ...ADAPTERS_IMPORTS,
  ...SRC_IMPORTS,
};

/** Names that several exported types share, and why that is right. */
export const NAMESAKES: Record<string, string> = {};
