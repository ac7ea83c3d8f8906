import { describe } from 'vitest';
import { crashPoints } from './crash-points.ts';
import { sqliteStore } from './stored-calls.ts';

describe('a service on SQLite, when its process is killed', () => {
  crashPoints(
    async () => ({ environment: { RTP_PORTS: '28000-28999' }, store: async (dataDir) => sqliteStore(dataDir) }),
    'all',
  );
});
