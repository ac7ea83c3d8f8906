import { z } from 'zod';

/**
 * Zod would compile its schemas with `new Function`, which the page's Content-Security-Policy forbids, and tries it with the first
 * schema: imported before all schemas.
 */
z.config({ jitless: true });
