import type { Repositories } from '../storage/repositories.ts';

/**
 * Repositories that return background work only while this node is the leader. On other nodes the queries for due work are empty, and
 * the workers keep polling.
 */
export function leaderRepositories(stored: Repositories, leads: () => boolean): Repositories {
  const { callDeletion, knowledgeBases, knowledgeChunks, knowledgeVectors, outbox, postCall, rollups } = stored;
  return {
    ...stored,
    outbox: {
      ...outbox,
      dueDeliveries: async (nowMs, limit, exceptAgentIds) =>
        leads() ? outbox.dueDeliveries(nowMs, limit, exceptAgentIds) : [],
      nextAttemptMs: async (nowMs) => (leads() ? outbox.nextAttemptMs(nowMs) : null),
    },
    postCall: {
      ...postCall,
      due: async (nowMs, limit) => (leads() ? postCall.due(nowMs, limit) : []),
      nextAttemptMs: async (nowMs) => (leads() ? postCall.nextAttemptMs(nowMs) : null),
    },
    knowledgeBases: {
      ...knowledgeBases,
      organizationsToRead: async (type) => (leads() ? knowledgeBases.organizationsToRead(type) : []),
    },
    knowledgeChunks: {
      ...knowledgeChunks,
      orphanedSource: async () => (leads() ? knowledgeChunks.orphanedSource() : null),
    },
    knowledgeVectors: {
      ...knowledgeVectors,
      organizationsToEmbed: async (model) => (leads() ? knowledgeVectors.organizationsToEmbed(model) : []),
    },
    rollups: { ...rollups, due: async (limit) => (leads() ? rollups.due(limit) : []) },
    callDeletion: {
      ...callDeletion,
      keptCalls: async (endedBeforeMs, after, limit) =>
        leads() ? callDeletion.keptCalls(endedBeforeMs, after, limit) : [],
    },
  };
}
