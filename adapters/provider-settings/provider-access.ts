/** Placeholder for local servers that need no key. */
const NO_KEY = 'none';

/** Keys, base URLs and the rest by the names of their environment variables: `PROVIDER_VARIABLES`. */
export type ProviderSettings = Readonly<Record<string, string | undefined>>;

export interface ProviderVariable {
  readonly name: string;
  readonly kind: 'key' | 'base_url' | 'text';
}

/** How a provider is reached, and whether it is configured. */
export interface ProviderAccess {
  readonly apiKey: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly isConfigured: boolean;
  /** The variable that configures it. */
  readonly setting: string;
}

/**
 * A cheap request that only succeeds with a valid key, or a program that must exist. `variables` lists what a user can set.
 */
export type ProviderCheck = { readonly variables: readonly string[] } & (
  | { readonly type: 'request'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly type: 'program'; readonly path: string; readonly argument: string }
);

/** `PREFIX_API_KEY` and `PREFIX_BASE_URL`. */
export function accessVariables(prefix: string): ProviderVariable[] {
  return [
    { name: `${prefix}_API_KEY`, kind: 'key' },
    { name: `${prefix}_BASE_URL`, kind: 'base_url' },
  ];
}

/**
 * Configured by a key, or by a base URL of a local server, which needs no key. Throws for an invalid value, naming the variable and
 * never its value.
 */
export function accessOf(settings: ProviderSettings, prefix: string, ownBaseUrl: string): ProviderAccess {
  const [key, baseUrl] = [`${prefix}_API_KEY`, `${prefix}_BASE_URL`];
  return {
    apiKey: keyOf(key, settings[key]),
    baseUrl: baseUrlOf(baseUrl, settings[baseUrl]) ?? ownBaseUrl,
    isConfigured: Boolean(settings[key] || settings[baseUrl]),
    setting: key,
  };
}

/**
 * A server for one of OpenAI's APIs. Without its own base URL it is the server of `OPENAI_BASE_URL`. A key is only sent to the
 * server that it was given for.
 */
export function likeOpenAi(settings: ProviderSettings, prefix: string, openAiBaseUrl: string): ProviderAccess {
  const [key, setting] = [`${prefix}_API_KEY`, `${prefix}_BASE_URL`];
  const ownBaseUrl = baseUrlOf(setting, settings[setting]);
  const baseUrl = ownBaseUrl ?? baseUrlOf('OPENAI_BASE_URL', settings.OPENAI_BASE_URL);
  const sharedKey = ownBaseUrl === undefined ? settings.OPENAI_API_KEY : undefined;
  return {
    apiKey: keyOf(key, settings[key] || sharedKey),
    baseUrl: baseUrl ?? openAiBaseUrl,
    isConfigured: baseUrl !== undefined,
    setting,
  };
}

/** The models that a server like OpenAI's has (https://platform.openai.com/docs/api-reference/models/list). */
export function modelsCheck({ apiKey, baseUrl }: ProviderAccess, prefix: string): ProviderCheck {
  return requestCheck(prefix, `${baseUrl}/models`, { authorization: `Bearer ${apiKey}` });
}

export function requestCheck(prefix: string, url: string, headers: Readonly<Record<string, string>>): ProviderCheck {
  return { type: 'request', url, headers, variables: accessVariables(prefix).map(({ name }) => name) };
}

/** A key that is invalid in an HTTP header would throw during a call. Throws, naming only the variable. */
export function keyOf(variable: string, value: string | undefined): string {
  const key = value?.trim() || NO_KEY;
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error(`${variable}: expected printable ASCII without spaces`);
  return key;
}

/** Without a trailing slash; undefined if not set. Throws, naming only the variable. */
export function baseUrlOf(variable: string, value: string | undefined): string | undefined {
  if (value === undefined || value === '') return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const wellFormed = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!wellFormed || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new Error(`${variable}: expected an http or https URL without query, fragment or credentials`);
  }
  return url.href.replace(/\/+$/, '');
}
