/** A provider of language models, as far as a guess needs it. */
export interface GuessableProvider {
  readonly name: string;
  readonly isConfigured: boolean;
}

/** Whose models bear such names, in the order in which they are asked. The first that matches counts. */
const HOMES: readonly { readonly pattern: RegExp; readonly providers: readonly string[] }[] = [
  // OpenAI's open models: anyone may serve them.
  { pattern: /^gpt-oss/, providers: [] },
  { pattern: /^(gpt-|chatgpt-|codex-|o\d)/, providers: ['openai', 'azure'] },
  { pattern: /^claude-/, providers: ['anthropic'] },
  { pattern: /^gemini-/, providers: ['gemini'] },
  {
    pattern: /^(open-)?(mistral|mixtral|ministral|magistral|codestral|devstral|pixtral|voxtral)/,
    providers: ['mistral'],
  },
];

/** Providers of models of their own; every other one may serve a model of any name. */
const FAMILIES: readonly string[] = ['openai', 'openai-responses', 'azure', 'anthropic', 'gemini', 'mistral'];

/**
 * The provider that an agent means who names only a model: its maker, where that is configured; else the one configured
 * provider that serves models of all names, of several `preferred`. Null: the name does not tell.
 */
export function providerOfModel(
  model: string,
  providers: readonly GuessableProvider[],
  preferred: string | undefined,
): string | null {
  const makers = HOMES.find(({ pattern }) => pattern.test(model.toLowerCase()))?.providers ?? [];
  const configured = providers.filter(({ isConfigured }) => isConfigured).map(({ name }) => name);
  const maker = makers.find((name) => configured.includes(name));
  if (maker !== undefined) return maker;

  const hosts = configured.filter((name) => !FAMILIES.includes(name));
  const [only] = hosts;
  if (only !== undefined && hosts.length === 1) return only;
  if (preferred !== undefined && hosts.includes(preferred)) return preferred;
  if (hosts.length > 1) return null;

  // Nobody serves it here. Its maker's missing key is then what there is to say; without a maker it may be a name that
  // only the preferred provider knows.
  const names = providers.map(({ name }) => name);
  if (makers.length > 0) return makers.find((name) => names.includes(name)) ?? null;
  return preferred !== undefined && names.includes(preferred) ? preferred : null;
}
