import { execFile } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import type { ProviderCheck } from '../../adapters/provider-access.ts';
import type { Lookup, Registry } from '../../adapters/registry.ts';
import type { Configuration } from '../configuration.ts';
import { configuredRegistry } from '../provider-registry.ts';
import { type Finding, fault, fine, messageOf, warning } from './finding.ts';

/** A provider that takes longer for so little is no use to a conversation, ms. */
const ANSWER_TIMEOUT_MS = 5_000;
/** A request that answers later, on a connection of its own, makes every first turn of a call late, ms. */
const SLOW_MS = 1_500;

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
    const asked = checks.map(({ check, name }) => {
      if (check.type === 'program') return tried(name, check, configuration.agentDefaults.voice.provider === name);
      const isOnly = checks.filter((other) => other.name === name).length === 1;
      return ask(isOnly ? name : `${name} (${check.variables.at(-1)})`, check);
    });
    return [...missingDefaults(registry, configuration), ...(await Promise.all(asked))];
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

/** What a provider says to one cheap request, and how long it took. */
async function ask(name: string, { headers, url, variables }: RequestCheck): Promise<Finding> {
  const askedMs = performance.now();
  try {
    const response = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    await response.body?.cancel();
    const tookMs = Math.round(performance.now() - askedMs);
    if (response.ok && /text\/html/.test(response.headers.get('content-type') ?? '')) {
      return fault(name, 'answers with a web page: no API is there', `look at the path of ${variables.at(-1)}`);
    }
    return judged(name, response.status, variables, tookMs);
  } catch (error) {
    if (isWithoutTls(error)) {
      return fault(name, 'cannot be reached: it speaks no TLS', `write http:// in ${variables.at(-1)}`);
    }
    const remedy = `look at the network, a proxy, and ${variables.at(-1)}`;
    return fault(name, `cannot be reached: ${messageOf(error)}`, remedy);
  }
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
