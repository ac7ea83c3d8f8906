/** A provider of language models, as far as a guess needs it. */
export interface GuessableProvider {
  readonly name: string;
  readonly isConfigured: boolean;
}

/** Makers by model name; the first match counts. */
const MAKERS: readonly { readonly pattern: RegExp; readonly providers: readonly string[] }[] = [
  // OpenAI's open models, which any provider may serve.
  { pattern: /^gpt-oss/, providers: [] },
  { pattern: /^(gpt-|chatgpt-|codex-|o\d)/, providers: ['openai', 'azure'] },
  { pattern: /^claude-/, providers: ['anthropic'] },
  { pattern: /^gemini-/, providers: ['gemini'] },
  {
    pattern: /^(open-)?(mistral|mixtral|ministral|magistral|codestral|devstral|pixtral|voxtral)/,
    providers: ['mistral'],
  },
];

/** Providers that serve only their own models; all others may serve any name. */
const OWN_MODELS_ONLY: readonly string[] = ['openai', 'openai-responses', 'azure', 'anthropic', 'gemini', 'mistral'];

/**
 * The provider for an agent that names only a model: its maker if configured, otherwise the only configured provider that serves any
 * name, otherwise `preferred`. Null if the name is ambiguous.
 */
export function providerOfModel(
  model: string,
  providers: readonly GuessableProvider[],
  preferred: string | undefined,
): string | null {
  const makers = MAKERS.find(({ pattern }) => pattern.test(model.toLowerCase()))?.providers ?? [];
  const configured = providers.filter(({ isConfigured }) => isConfigured).map(({ name }) => name);
  const maker = makers.find((name) => configured.includes(name));
  if (maker !== undefined) return maker;

  const hosts = configured.filter((name) => !OWN_MODELS_ONLY.includes(name));
  const [only] = hosts;
  if (only !== undefined && hosts.length === 1) return only;
  if (preferred !== undefined && hosts.includes(preferred)) return preferred;
  if (hosts.length > 1) return null;

  // No configured provider serves it. The error then names the maker's missing key; a model without a known maker may be a name
  // that only the preferred provider knows.
  const names = providers.map(({ name }) => name);
  if (makers.length > 0) return makers.find((name) => names.includes(name)) ?? null;
  return preferred !== undefined && names.includes(preferred) ? preferred : null;
}
