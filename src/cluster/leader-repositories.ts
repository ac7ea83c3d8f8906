import type { Repositories } from '../storage/repositories.ts';

/**
 * The same repositories, in which background work is found only while this node is the one that does it. The others find
 * nothing to deliver, to ask, to read or to delete, and look again as they always do.
 */
export function leaderRepositories(stored: Repositories, leads: () => boolean): Repositories {
  const { callDeletion, knowledgeBases, knowledgeChunks, knowledgeVectors, outbox, postCall } = stored;
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
      nextToRead: async () => (leads() ? knowledgeBases.nextToRead() : null),
    },
    knowledgeChunks: {
      ...knowledgeChunks,
      orphanedSource: async () => (leads() ? knowledgeChunks.orphanedSource() : null),
    },
    knowledgeVectors: {
      ...knowledgeVectors,
      nextToEmbed: async (model) => (leads() ? knowledgeVectors.nextToEmbed(model) : null),
    },
    callDeletion: {
      ...callDeletion,
      keptCalls: async (endedBeforeMs, after, limit) =>
        leads() ? callDeletion.keptCalls(endedBeforeMs, after, limit) : [],
    },
  };
}
