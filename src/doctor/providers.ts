import { execFile } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import type { ProviderCheck } from '../../adapters/provider-settings/provider-access.ts';
import type { Registry, RegistryCheck } from '../../adapters/registry/provider-registry.ts';
import { configuredRegistry } from '../calls/providers/configured-registry.ts';
import { defaultProviderProblems } from '../calls/providers/default-providers.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { type Finding, fault, fine, messageOf, warning } from './finding.ts';
import { isListed, listedModels } from './listed-models.ts';

/** Request timeout, ms. A slower provider is unusable for conversations. */
const ANSWER_TIMEOUT_MS = 5_000;
/** A slower first response delays the first turn of every call, ms. */
const SLOW_MS = 1_500;

/** Providers whose list does not prove that a model exists: Azure lists no deployments, llama.cpp ignores the name. */
const NAMED_OTHERWISE: readonly string[] = ['azure', 'llamacpp'];
/** Models shown of a list. */
const MODELS_SHOWN_MAX = 5;

/** A default model and the variable that sets it. */
interface WantedModel {
  readonly model: string;
  readonly variable: string;
}

type ProgramCheck = Extract<ProviderCheck, { readonly type: 'program' }>;
type RequestCheck = Extract<ProviderCheck, { readonly type: 'request' }>;

/** Checks the default providers and all provider keys. Findings never contain a key. */
export async function checkProviders(configuration: Configuration): Promise<readonly Finding[]> {
  let registry: Registry;
  try {
    // Its checks need no SDK. One that loads beside them would delay the responses that they time.
    registry = configuredRegistry(configuration, { loadsSdks: false });
  } catch (error) {
    return [fault('providers', messageOf(error), 'correct that variable')];
  }
  try {
    const { checks } = registry;
    const asked = checks.map(async (providerCheck) => {
      const { check, name } = providerCheck;
      if (check.type === 'program')
        return [await tried(name, check, configuration.agentDefaults.voice.provider === name)];
      const isOnly = checks.filter((other) => other.name === name).length === 1;
      return ask(isOnly ? name : `${name} (${check.variables.at(-1)})`, check, wantedOf(providerCheck, configuration));
    });
    return [...missingDefaults(registry, configuration), ...(await Promise.all(asked)).flat()];
  } finally {
    await registry.close();
  }
}

function missingDefaults(registry: Registry, configuration: Configuration): readonly Finding[] {
  return defaultProviderProblems(registry, configuration).map((problem) => {
    const { provider, variable } = problem;
    return problem.type === 'unknown' && problem.setting === null
      ? fault(variable, `unknown provider ${provider}`, `set it to one of ${problem.known.join(', ')}`)
      : fault(variable, `${provider} is not configured`, `set ${problem.setting}, or ${variable} to another provider`);
  });
}

/** The default models of agents at this provider. */
function wantedOf({ serves }: RegistryCheck, { agentDefaults }: Configuration): readonly WantedModel[] {
  const { llm, transcriber } = agentDefaults;
  const wanted = [
    { kind: 'languageModel', provider: llm.provider, model: llm.model, variable: 'DEFAULT_LLM_MODEL' },
    { kind: 'transcriber', ...transcriber, variable: 'DEFAULT_TRANSCRIBER_MODEL' },
  ];
  return wanted.flatMap(({ kind, model, provider, variable }) => {
    const isServed = serves.some((served) => served.kind === kind && served.name === provider);
    const isNamedAlike = provider !== undefined && !NAMED_OTHERWISE.includes(provider);
    return isServed && isNamedAlike && model !== undefined ? [{ model, variable }] : [];
  });
}

/** Checks a provider with one cheap request: key, latency, and whether it lists the default models. */
async function ask(
  name: string,
  { headers, url, variables }: RequestCheck,
  wanted: readonly WantedModel[],
): Promise<readonly Finding[]> {
  const askedMs = performance.now();
  try {
    const response = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    const tookMs = Math.round(performance.now() - askedMs);
    const listed = response.ok && wanted.length > 0 ? await listedModels(response) : null;
    if (!response.bodyUsed) await response.body?.cancel();
    if (response.ok && /text\/html/.test(response.headers.get('content-type') ?? '')) {
      return [fault(name, 'responds with a web page, not an API', `check the path of ${variables.at(-1)}`)];
    }
    const missing = listed === null ? [] : missingModels(name, listed, wanted);
    return [judged(name, response.status, variables, tookMs), ...missing];
  } catch (error) {
    if (isWithoutTls(error)) {
      return [fault(name, 'unreachable: the server does not use TLS', `use http:// in ${variables.at(-1)}`)];
    }
    const remedy = `check the network, the proxy, and ${variables.at(-1)}`;
    return [fault(name, `unreachable: ${messageOf(error)}`, remedy)];
  }
}

/** Checks whether a local server has the model, before the first call fails. */
function missingModels(name: string, listed: readonly string[], wanted: readonly WantedModel[]): readonly Finding[] {
  const some = listed.filter((model) => /^[\x21-\x7e]+$/.test(model)).slice(0, MODELS_SHOWN_MAX);
  const names = some.length < listed.length ? `${some.join(', ')}, …` : some.join(', ');
  return wanted
    .filter(({ model }) => !isListed(model, listed))
    .map(({ model, variable }) => {
      const has = listed.length === 0 ? 'the server has none' : `the server has ${names}`;
      return warning(name, `does not list the model ${model}`, `download it there, or set ${variable}; ${has}`);
    });
}

/** Whether the cause of a failed fetch is a TLS error. */
function isWithoutTls(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_SSL_WRONG_VERSION_NUMBER';
}

function judged(name: string, status: number, variables: readonly string[], tookMs: number): Finding {
  const [key, baseUrl] = variables;
  const took = `in ${tookMs} ms`;
  if (status >= 200 && status < 300) {
    return tookMs > SLOW_MS
      ? warning(
          name,
          `accepts the key ${took}, which is slow`,
          'check the network, or use a closer region or another provider',
        )
      : fine(name, `accepts the key ${took}`);
  }
  if (status === 401) return fault(name, 'refuses the key (401)', `set ${key} to a valid key`);
  if (status === 403) {
    return warning(
      name,
      'accepts the key without the permission to check it (403)',
      'make sure that the key has the permissions that agents need',
    );
  }
  if (status === 404) {
    return warning(
      name,
      `responds ${took}, but does not support the request that checks the key (404)`,
      `check that ${baseUrl} has the form in .env.example; some local servers cannot check a key`,
    );
  }
  const remedy = status === 429 ? 'check the quota of the account' : `retry later, and check ${baseUrl}`;
  return warning(name, `answers ${status}`, remedy);
}

/** Checks a local program. It may be missing if it is not the default voice. */
async function tried(name: string, { argument, path, variables }: ProgramCheck, isNeeded: boolean): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)(path, [argument], { timeout: ANSWER_TIMEOUT_MS });
    return fine(name, `is installed: ${stdout.split('\n', 1)[0]?.trim() ?? ''}`);
  } catch {
    const text = `${path} is not installed`;
    return isNeeded ? fault(name, text, `install it, or set ${variables[0]}`) : fine(name, `${text}, but not needed`);
  }
}
