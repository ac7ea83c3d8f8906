import type { z } from 'zod';
import type { KnowledgeBase, KnowledgeSource } from '../../storage/knowledge/knowledge-base-repository.ts';
import type { knowledgeBaseSchema } from '../schemas/knowledge-base.ts';

/** The Knowledge base of the API, with its sources. */
export function knowledgeBaseFromRecord(
  base: KnowledgeBase,
  sources: readonly KnowledgeSource[],
  publicUrl: string,
): z.output<typeof knowledgeBaseSchema> {
  const status = statusOf(sources);
  return {
    id: base.id,
    name: base.name,
    created_at: new Date(base.createdMs).toISOString(),
    status,
    error: status === 'failed' ? (sources[0]?.error ?? null) : null,
    organization_id: base.organizationId,
    sources: sources.map((source) => ({
      id: source.id,
      created_at: new Date(source.createdMs).toISOString(),
      file_name: source.fileName,
      file_url: `${publicUrl}/v1/knowledge-bases/${base.id}/sources/${source.id}/file`,
      type: source.type,
      status: source.status,
      error: source.error,
    })),
  };
}

/** A knowledge base is `ready` if at least one source is. */
function statusOf(sources: readonly KnowledgeSource[]): KnowledgeSource['status'] {
  if (sources.some(({ status }) => status === 'ingesting')) return 'ingesting';
  return sources.length > 0 && sources.every(({ status }) => status === 'failed') ? 'failed' : 'ready';
}
