import { bodyOf } from '../../api/connection.ts';
import {
  type Agent,
  type AgentVersion,
  type AgentWarning,
  type CreateAgentRequest,
  createAgent,
  deployVersion,
  getAgent,
  updateAgent,
} from '../../generated/client.ts';
import { agentPatch } from '../document/agent-document.ts';
import { activeVersion, draftBase } from './active-version.ts';

/** The fields of a stored version that the page needs. */
interface StoredVersion {
  readonly id: string;
  readonly version: number;
  readonly warnings: readonly AgentWarning[];
}

/** @throws ApiFailure */
export async function createdVersion(document: CreateAgentRequest): Promise<StoredVersion> {
  const { data } = await bodyOf(createAgent(document));
  return { id: data.id, version: 1, warnings: data.warnings ?? [] };
}

interface EditedVersion {
  /** The version that was edited. */
  readonly agent: Agent;
  readonly versions: readonly AgentVersion[];
  readonly document: CreateAgentRequest;
  readonly isChanged: boolean;
  readonly publish: boolean;
}

/**
 * Stores a changed document as a new version; publishes the stored version if the document is unchanged. Never overwrites a change of
 * the agent that the page has not loaded.
 *
 * @throws ApiFailure
 */
export async function storeVersion(edited: EditedVersion): Promise<StoredVersion> {
  const { data } = await answerOf(edited);
  return { id: data.id, version: data.version, warnings: data.warnings ?? [] };
}

async function answerOf({ agent, versions, document, isChanged, publish }: EditedVersion) {
  if (publish && !isChanged) return bodyOf(deployVersion(agent.version, agent.id));
  const baseVersion = (publish ? activeVersion(versions) : draftBase(versions)) ?? agent.version;
  const base =
    baseVersion === agent.version ? agent : (await bodyOf(getAgent(agent.id, { version: baseVersion }))).data;
  return bodyOf(updateAgent(agent.id, agentPatch(document, base), { publish, baseVersion }));
}
