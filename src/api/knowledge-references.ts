import type { AgentConfiguration } from '../../engine/agent/agent.ts';
import type { RouteContext } from './api.ts';
import { invalid } from './validation.ts';

/** 422 where an agent names a knowledge base that is not its organization's. */
export async function checkKnowledgeBases(
  { repositories }: Pick<RouteContext, 'repositories'>,
  organizationId: string,
  agent: Pick<AgentConfiguration, 'knowledge_base_ids' | 'states'>,
): Promise<void> {
  const named = [
    ...agent.knowledge_base_ids.map((id, index) => ({ id, field: `knowledge_base_ids[${index}]` })),
    ...agent.states.flatMap((state, at) =>
      state.knowledge_base_ids.map((id, index) => ({ id, field: `states[${at}].knowledge_base_ids[${index}]` })),
    ),
  ];
  const ids = [...new Set(named.map(({ id }) => id))];
  const unknown = new Set(await repositories.knowledgeBases.unknownOf(organizationId, ids));
  const faults = named.filter(({ id }) => unknown.has(id));
  const message = 'expected a knowledge base of the organization';
  if (faults.length > 0) throw invalid(faults.map(({ field }) => ({ field, message })));
}
