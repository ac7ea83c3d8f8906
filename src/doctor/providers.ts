import type { Configuration, ProviderAccess } from '../configuration.ts';
import { type Finding, fault, fine, messageOf, warning } from './finding.ts';

/** A provider that takes longer for so little is no use to a conversation, ms. */
const ANSWER_TIMEOUT_MS = 5_000;

interface Question {
  readonly name: string;
  /** What the names of its variables begin with. */
  readonly variables: 'OPENAI' | 'DEEPGRAM';
  readonly access: ProviderAccess;
  readonly url: (baseUrl: string | null) => string;
  readonly authorization: (key: string) => string;
  /** Whether an agent that names no provider gets this one. */
  readonly isDefault: boolean;
}

/** Whether the keys are taken, each asked by a request that costs nothing. No key is ever part of a finding. */
export async function checkProviders({ agentDefaults, providers }: Configuration): Promise<readonly Finding[]> {
  const defaults = [agentDefaults.llm.provider, agentDefaults.voice.provider, agentDefaults.transcriber.provider];
  const questions: readonly Question[] = [
    {
      name: 'openai',
      variables: 'OPENAI',
      access: providers.openai,
      // https://platform.openai.com/docs/api-reference/models/list
      url: (baseUrl) => `${baseUrl ?? 'https://api.openai.com/v1'}/models`,
      authorization: (key) => `Bearer ${key}`,
      isDefault: defaults.includes('openai'),
    },
    {
      name: 'deepgram',
      variables: 'DEEPGRAM',
      access: providers.deepgram,
      // https://developers.deepgram.com/docs/authenticating
      url: (baseUrl) => `${baseUrl ?? 'https://api.deepgram.com'}/v1/auth/token`,
      authorization: (key) => `Token ${key}`,
      isDefault: defaults.includes('deepgram'),
    },
  ];
  return Promise.all(questions.map(ask));
}

async function ask({ name, variables, access, url, authorization, isDefault }: Question): Promise<Finding> {
  const { apiKey, baseUrl } = access;
  if (apiKey === null && baseUrl === null) {
    const remedy = `set ${variables}_API_KEY, or other providers by DEFAULT_LLM_PROVIDER, DEFAULT_VOICE_PROVIDER and DEFAULT_TRANSCRIBER_PROVIDER`;
    return isDefault
      ? fault(name, 'agents that name no provider get it, and it has no key', remedy)
      : fine(name, 'not configured');
  }
  try {
    const response = await fetch(url(baseUrl), {
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
