import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { RouteContext } from '../context/route-context.ts';
import { invalid } from '../errors/validation.ts';

type Naming = Pick<AgentConfiguration, 'knowledge_base_ids' | 'states'>;

/**
 * Throws 422 for a knowledge base of another organization. A knowledge base that the previous version already named may have been
 * deleted since. It stays allowed, so that it does not block other changes.
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
  const message = 'expected a knowledge base of your organization';
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
