import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { AgentState } from '../../../engine/agent/state-schema.ts';
import { SECRET_MASK } from './agent-configuration.ts';

/** Where a secret header is sent from, and where to. */
interface HeaderPlace {
  readonly state: string;
  readonly tool: string;
  readonly url: string;
  readonly header: string;
}

interface StoredSecret extends HeaderPlace {
  readonly value: string;
}

/**
 * Replaces each mask in a request by the secret of `before` that it stands for. A mask without a secret stays: the check of the
 * configuration refuses it.
 */
export function unmaskedStates(states: readonly AgentState[], before: AgentConfiguration): AgentState[] {
  const stored = storedSecrets(before);
  return states.map((state) => ({
    ...state,
    tools: state.tools.map((tool) => {
      if (tool.type !== 'custom_function') return tool;
      const headers = tool.headers.map((header) => {
        if (!header.secret || header.value !== SECRET_MASK) return header;
        const place = { state: state.name, tool: tool.name, url: tool.url, header: header.name };
        return { ...header, value: secretOf(place, stored) ?? header.value };
      });
      return { ...tool, headers };
    }),
  }));
}

function storedSecrets({ states }: AgentConfiguration): readonly StoredSecret[] {
  return states.flatMap((state) =>
    state.tools.flatMap((tool) => {
      if (tool.type !== 'custom_function') return [];
      return tool.headers.flatMap(({ name, secret, value }) =>
        secret ? [{ state: state.name, tool: tool.name, url: tool.url, header: name, value }] : [],
      );
    }),
  );
}

/**
 * The secret of the same state, tool and header. After a state or tool was renamed: the only secret that this header carried to the same
 * URL, so names that were exchanged send no secret to the URL of another tool.
 */
function secretOf(place: HeaderPlace, stored: readonly StoredSecret[]): string | undefined {
  const named = stored.find(
    ({ header, state, tool }) => header === place.header && state === place.state && tool === place.tool,
  );
  if (named?.url === place.url) return named.value;
  const values = new Set(
    stored.filter(({ header, url }) => header === place.header && url === place.url).map(({ value }) => value),
  );
  if (values.size === 1) return [...values][0];
  return named?.value;
}
