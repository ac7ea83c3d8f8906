import type { KnownProviders } from '../../calls/providers/configured-registry.ts';

export interface NamedProvider {
  /** Path of the object that holds the provider. */
  readonly path: string;
  readonly kind: keyof KnownProviders;
  readonly provider: string | undefined;
}

/** Each part of an agent that names a provider. The agent may be a body that no schema has seen. */
export function namedProviders(agent: unknown): readonly NamedProvider[] {
  const { llm, voice, transcriber, transcriber_configuration, states, fallbacks } = fieldsOf(agent);
  const chains = fieldsOf(fallbacks);
  return [
    ...named('llm', 'llm', llm),
    ...named('voice', 'voice', voice),
    ...named('transcriber', 'transcriber', transcriber),
    ...named('transcriber', 'transcriber_configuration', transcriber_configuration),
    ...itemsOf(states).flatMap((state, index) => named('llm', `states[${index}].llm`, fieldsOf(state).llm)),
    ...(['llm', 'voice', 'transcriber'] as const).flatMap((kind) =>
      itemsOf(chains[kind]).flatMap((fallback, index) => named(kind, `fallbacks.${kind}[${index}]`, fallback)),
    ),
  ];
}

function named(kind: keyof KnownProviders, path: string, part: unknown): readonly NamedProvider[] {
  if (typeof part !== 'object' || part === null) return [];
  const { provider } = fieldsOf(part);
  return [{ kind, path, provider: typeof provider === 'string' ? provider : undefined }];
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
