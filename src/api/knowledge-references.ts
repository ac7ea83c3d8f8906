import type { AgentConfiguration } from '../../engine/agent/agent.ts';
import type { RouteContext } from './api.ts';
import { invalid } from './validation.ts';

type Naming = Pick<AgentConfiguration, 'knowledge_base_ids' | 'states'>;

/**
 * 422 where an agent names a knowledge base that is not its organization's. One that the version before named already may
 * have been deleted since: it finds nothing, and must not stand in the way of another change.
 */
export async function checkKnowledgeBases(
  { repositories }: Pick<RouteContext, 'repositories'>,
  organizationId: string,
  agent: Naming,
  before: Naming | null,
): Promise<void> {
  const kept = new Set(before === null ? [] : namedBy(before).map(({ id }) => id));
  const named = namedBy(agent).filter(({ id }) => !kept.has(id));
  const ids = [...new Set(named.map(({ id }) => id))];
  const unknown = new Set(await repositories.knowledgeBases.unknownOf(organizationId, ids));
  const faults = named.filter(({ id }) => unknown.has(id));
  const message = 'expected a knowledge base of the organization';
  if (faults.length > 0) throw invalid(faults.map(({ field }) => ({ field, message })));
}

function namedBy(agent: Naming): readonly { readonly id: string; readonly field: string }[] {
  return [
    ...agent.knowledge_base_ids.map((id, index) => ({ id, field: `knowledge_base_ids[${index}]` })),
    ...agent.states.flatMap((state, at) =>
      state.knowledge_base_ids.map((id, index) => ({ id, field: `states[${at}].knowledge_base_ids[${index}]` })),
    ),
  ];
}
