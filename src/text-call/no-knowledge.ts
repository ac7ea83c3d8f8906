import type { Knowledge } from '../../engine/ports/knowledge.ts';

/** Knowledge bases without sources. */
export const NO_KNOWLEDGE: Knowledge = { search: (_request, done) => done({ type: 'found', passages: [] }) };
