import type { Lookup, Registry } from '../../adapters/registry.ts';
import type { Configuration, ProviderAccess } from '../configuration.ts';
import { configuredRegistry } from '../provider-registry.ts';
import { type Finding, fault, fine, messageOf, warning } from './finding.ts';

/** A provider that takes longer for so little is no use to a conversation, ms. */
const ANSWER_TIMEOUT_MS = 5_000;

/** Whether what agents need by default is there, and whether keys are taken. No key is ever part of a finding. */
export async function checkProviders(configuration: Configuration): Promise<readonly Finding[]> {
  let registry: Registry;
  try {
    registry = configuredRegistry(configuration);
  } catch (error) {
    return [fault('providers', messageOf(error), 'set that variable to what it must hold')];
  }
  try {
    const questions = questionsOf(configuration).filter(
      ({ access }) => access.apiKey !== null || access.baseUrl !== null,
    );
    const asked = await Promise.all(questions.map(ask));
    const unasked = registry.providers.flatMap(({ name, isConfigured }) =>
      isConfigured && !questions.some((question) => question.name === name)
        ? [fine(name, 'configured; its key is not asked for here')]
        : [],
    );
    return [...missingDefaults(registry, configuration), ...asked, ...unasked];
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

/** A request that costs nothing and that only a valid key is answered. */
interface Question {
  readonly name: string;
  /** What the names of its variables begin with. */
  readonly variables: 'OPENAI' | 'DEEPGRAM';
  readonly access: ProviderAccess;
  readonly url: string;
  readonly authorization: (key: string) => string;
}

function questionsOf({ providers: { deepgram, openai } }: Configuration): readonly Question[] {
  return [
    {
      name: 'openai',
      variables: 'OPENAI',
      access: openai,
      // https://platform.openai.com/docs/api-reference/models/list
      url: `${openai.baseUrl ?? 'https://api.openai.com/v1'}/models`,
      authorization: (key) => `Bearer ${key}`,
    },
    {
      name: 'deepgram',
      variables: 'DEEPGRAM',
      access: deepgram,
      // https://developers.deepgram.com/docs/authenticating
      url: `${deepgram.baseUrl ?? 'https://api.deepgram.com'}/v1/auth/token`,
      authorization: (key) => `Token ${key}`,
    },
  ];
}

async function ask({ name, variables, access: { apiKey }, url, authorization }: Question): Promise<Finding> {
  try {
    const response = await fetch(url, {
      headers: apiKey === null ? {} : { authorization: authorization(apiKey) },
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return judged(name, response.status, variables);
  } catch (error) {
    const remedy = `look at the network, a proxy, and ${variables}_BASE_URL`;
    return fault(name, `cannot be reached: ${messageOf(error)}`, remedy);
  }
}

function judged(name: string, status: number, variables: Question['variables']): Finding {
  if (status >= 200 && status < 300) return fine(name, 'takes the key');
  if (status === 401) return fault(name, 'refuses the key (401)', `set ${variables}_API_KEY to a key that is valid`);
  if (status === 403) {
    return warning(name, 'knows the key and may not tell more (403)', 'see to it that the key may do what agents need');
  }
  if (status === 404) return fine(name, 'answers, and has no way to check a key (404), as many local servers');
  const remedy = status === 429 ? "look at the account's quota" : `try again later, and look at ${variables}_BASE_URL`;
  return warning(name, `answers ${status}`, remedy);
}
