import { describe } from 'vitest';
import { sqliteStore } from '../rig/call-store.ts';
import { crashPoints } from './crash-points.ts';

describe('a service on SQLite, when its process is killed', () => {
  crashPoints(
    async () => ({ environment: { RTP_PORTS: '28000-28999' }, store: async (dataDir) => sqliteStore(dataDir) }),
    'all',
  );
});
