import { configuredEmbedder } from '../../../adapters/registry/embedders.ts';
import { SYSTEM_CLOCK } from '../../../base/time/system-clock.ts';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { Knowledge } from '../../../engine/ports/knowledge.ts';
import { storedKnowledge } from '../../background/knowledge/stored-knowledge.ts';
import { VectorSearch } from '../../background/knowledge/vector-search.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import { type Database, openDatabaseGuest } from '../../storage/database/database.ts';
import { createRepositories, type Repositories } from '../../storage/repositories.ts';
import type { CallTime } from '../../text-call/call-time.ts';
import { NO_KNOWLEDGE } from '../../text-call/no-knowledge.ts';

/** The knowledge port of a chat. */
export interface ChatKnowledge {
  readonly port: Knowledge;
  close(): Promise<void>;
}

export interface ChatKnowledgeOptions {
  readonly agent: AgentConfiguration;
  readonly configuration: Configuration;
  readonly time: CallTime;
  /** Called for searches that failed. */
  readonly onNote: (message: string) => void;
}

/**
 * Searches the knowledge bases that the agent names as a call does, in the database of the service, which may be running.
 * Without a named base no database is opened. Rejects if the database or a base is missing.
 */
export async function openChatKnowledge(options: ChatKnowledgeOptions): Promise<ChatKnowledge> {
  const { agent, configuration } = options;
  const baseIds = [...new Set([agent, ...agent.states].flatMap(({ knowledge_base_ids: ids }) => ids))];
  if (baseIds.length === 0) return { port: NO_KNOWLEDGE, close: async () => {} };
  const database = await openDatabaseGuest(configuration);
  try {
    const repositories = createRepositories(database);
    const organizationId = await ownerOf(baseIds, repositories);
    return searching(options, { database, repositories, organizationId });
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The organization of these bases. Rejects as the API refuses an agent: an agent has one organization. */
async function ownerOf(baseIds: readonly string[], { knowledgeBases }: Repositories): Promise<string> {
  const owners = await knowledgeBases.ownersOf(baseIds);
  const missing = baseIds.find((id) => !owners.has(id));
  if (missing !== undefined) {
    throw new Error(
      `knowledge_base_ids: ${missing} not found: create it with POST /v1/knowledge-bases, or set DATA_DIR or DATABASE_URL of its service`,
    );
  }
  const [organizationId = '', ...others] = new Set(owners.values());
  if (others.length > 0) throw new Error('knowledge_base_ids: expected knowledge bases of one organization');
  return organizationId;
}

function searching(
  { configuration, time, onNote }: ChatKnowledgeOptions,
  {
    database,
    repositories,
    organizationId,
  }: { readonly database: Database; readonly repositories: Repositories; readonly organizationId: string },
): ChatKnowledge {
  const { knowledgeChunks: chunks, knowledgeVectors: vectors } = repositories;
  const embedder = configuredEmbedder(configuration.providers);
  const log = { warn: (_fields: object, message: string) => onNote(message) };
  const vectorSearch = embedder && new VectorSearch({ embedder, vectors, clock: SYSTEM_CLOCK, log });
  const onFault = () => onNote('knowledge search failed');
  const stored = storedKnowledge({ chunks, vectorSearch, organizationId, onFault });
  return {
    port: {
      search: (request, done) => {
        const end = time.beginWork();
        stored.search(request, (result) => {
          end();
          done(result);
        });
      },
    },
    close: async () => {
      await vectorSearch?.close();
      await embedder?.close();
      await database.close();
    },
  };
}
