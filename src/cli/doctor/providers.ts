import { execFile } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import type { ProviderCheck } from '../../../adapters/provider-settings/provider-access.ts';
import type { Lookup, Registry, RegistryCheck } from '../../../adapters/registry/registry.ts';
import { configuredRegistry } from '../../calls/providers/provider-registry.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import { type Finding, fault, fine, messageOf, warning } from './finding.ts';
import { isListed, listedModels } from './listed-models.ts';

/** A provider that takes longer for so little is no use to a conversation, ms. */
const ANSWER_TIMEOUT_MS = 5_000;
/** A request that answers later, on a connection of its own, makes every first turn of a call late, ms. */
const SLOW_MS = 1_500;

/** Azure is asked for deployments, which it does not list; llama.cpp answers with what it has loaded, by whatever name. */
const NAMED_OTHERWISE: readonly string[] = ['azure', 'llamacpp'];
/** Of a list, so many are told. */
const MODELS_TOLD_MAX = 5;

/** A model that agents get, and the variable that names it. */
interface WantedModel {
  readonly model: string;
  readonly variable: string;
}

type ProgramCheck = Extract<ProviderCheck, { readonly type: 'program' }>;
type RequestCheck = Extract<ProviderCheck, { readonly type: 'request' }>;

/** Whether what agents need by default is there, and whether keys are taken. No key is ever part of a finding. */
export async function checkProviders(configuration: Configuration): Promise<readonly Finding[]> {
  let registry: Registry;
  try {
    registry = configuredRegistry(configuration);
  } catch (error) {
    return [fault('providers', messageOf(error), 'set that variable to what it must hold')];
  }
  try {
    const { checks } = registry;
    const asked = checks.map(async (one) => {
      const { check, name } = one;
      if (check.type === 'program')
        return [await tried(name, check, configuration.agentDefaults.voice.provider === name)];
      const isOnly = checks.filter((other) => other.name === name).length === 1;
      return ask(isOnly ? name : `${name} (${check.variables.at(-1)})`, check, wantedOf(one, configuration));
    });
    return [...missingDefaults(registry, configuration), ...(await Promise.all(asked)).flat()];
  } finally {
    await registry.close();
  }
}

/** What an agent gets that names no provider of its own. */
function missingDefaults(registry: Registry, { agentDefaults, tapeDir }: Configuration): readonly Finding[] {
  const { llm, transcriber, voice } = agentDefaults;
  const lookups: readonly (readonly [string, string | undefined, Lookup<unknown>])[] = [
    ['DEFAULT_LLM_PROVIDER', llm.provider, registry.languageModel(llm.provider)],
    ['DEFAULT_VOICE_PROVIDER', voice.provider, registry.voice(voice.provider)],
    ['DEFAULT_TRANSCRIBER_PROVIDER', transcriber.provider, registry.transcriber(transcriber.provider)],
  ];
  return lookups.flatMap(([variable, name, found]) => {
    // The tape's provider comes into being with the service.
    if (found.status === 'found' || (name === 'tape' && tapeDir !== null)) return [];
    return found.status === 'unknown'
      ? [fault(variable, `there is no provider ${name}`, `set it to one of ${found.known.join(', ')}`)]
      : [fault(variable, `${name} is not configured`, `set ${found.setting}, or ${variable} to another provider`)];
  });
}

/** The models of that provider that agents get which name none. */
function wantedOf({ serves }: RegistryCheck, { agentDefaults }: Configuration): readonly WantedModel[] {
  const { llm, transcriber } = agentDefaults;
  const wanted = [
    { kind: 'languageModel', provider: llm.provider, model: llm.model, variable: 'DEFAULT_LLM_MODEL' },
    { kind: 'transcriber', ...transcriber, variable: 'DEFAULT_TRANSCRIBER_MODEL' },
  ];
  return wanted.flatMap(({ kind, model, provider, variable }) => {
    const isServed = serves.some((one) => one.kind === kind && one.name === provider);
    const isNamedAlike = provider !== undefined && !NAMED_OTHERWISE.includes(provider);
    return isServed && isNamedAlike && model !== undefined ? [{ model, variable }] : [];
  });
}

/** What a provider says to one cheap request, how long it took, and whether it lists the models wanted of it. */
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
      return [fault(name, 'answers with a web page: no API is there', `look at the path of ${variables.at(-1)}`)];
    }
    const missing = listed === null ? [] : missingModels(name, listed, wanted);
    return [judged(name, response.status, variables, tookMs), ...missing];
  } catch (error) {
    if (isWithoutTls(error)) {
      return [fault(name, 'cannot be reached: it speaks no TLS', `write http:// in ${variables.at(-1)}`)];
    }
    const remedy = `look at the network, a proxy, and ${variables.at(-1)}`;
    return [fault(name, `cannot be reached: ${messageOf(error)}`, remedy)];
  }
}

/** A server of one's own may not have fetched the model yet: without this the first call would tell. */
function missingModels(name: string, listed: readonly string[], wanted: readonly WantedModel[]): readonly Finding[] {
  const some = listed.filter((model) => /^[\x21-\x7e]+$/.test(model)).slice(0, MODELS_TOLD_MAX);
  const names = some.length < listed.length ? `${some.join(', ')}, …` : some.join(', ');
  return wanted
    .filter(({ model }) => !isListed(model, listed))
    .map(({ model, variable }) => {
      const has = listed.length === 0 ? 'it has none' : `it has ${names}`;
      return warning(name, `does not list the model ${model}`, `fetch it there, or set ${variable}; ${has}`);
    });
}

/** Of a failed fetch the cause tells. */
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
          `takes the key ${took}, which is slow`,
          'look at the network; a region near you, or another provider',
        )
      : fine(name, `takes the key ${took}`);
  }
  if (status === 401) return fault(name, 'refuses the key (401)', `set ${key} to a key that is valid`);
  if (status === 403) {
    return warning(name, 'knows the key and may not tell more (403)', 'see to it that the key may do what agents need');
  }
  if (status === 404) {
    return warning(
      name,
      `answers ${took}, and does not know what was asked to check the key (404)`,
      `see to it that ${baseUrl} is written as in .env.example; some local servers have nothing to check a key by`,
    );
  }
  const remedy = status === 429 ? "look at the account's quota" : `try again later, and look at ${baseUrl}`;
  return warning(name, `answers ${status}`, remedy);
}

/** A program that nobody is to speak with may be missing. */
async function tried(name: string, { argument, path, variables }: ProgramCheck, isNeeded: boolean): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)(path, [argument], { timeout: ANSWER_TIMEOUT_MS });
    return fine(name, `is there: ${stdout.split('\n', 1)[0]?.trim() ?? ''}`);
  } catch {
    const text = `${path} is not installed here`;
    return isNeeded ? fault(name, text, `install it, or set ${variables[0]}`) : fine(name, `${text}, and not needed`);
  }
}
