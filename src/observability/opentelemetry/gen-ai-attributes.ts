import type { TranscriptRecord } from '../../storage/calls/transcript-record.ts';
import type { Attribute } from './trace-span.ts';

/**
 * Names of providers in `gen_ai.provider.name` where they differ from ours.
 * https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/registry/attributes/gen-ai.md
 */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  gemini: 'gcp.gemini',
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  xai: 'x_ai',
};

export function providerAttribute(provider: string | undefined): Readonly<Record<string, Attribute>> {
  return provider === undefined ? {} : { 'gen_ai.provider.name': PROVIDER_NAMES[provider] ?? provider };
}

/** The texts of transcript entries in the form of `gen_ai.input.messages` and `gen_ai.output.messages`, as JSON. */
export function messagesAttribute(
  name: 'gen_ai.input.messages' | 'gen_ai.output.messages',
  entries: readonly TranscriptRecord[],
): Readonly<Record<string, Attribute>> {
  if (entries.length === 0) return {};
  const messages = entries.map(({ content, role }) => ({
    role: role === 'agent' ? 'assistant' : 'user',
    parts: [{ type: 'text', content }],
    ...(role === 'agent' && { finish_reason: 'stop' }),
  }));
  return { [name]: JSON.stringify(messages) };
}

/** `error.type` of a text of `describeProviderError`: the HTTP status, else the code. */
export function errorTypeOf(text: string | null): string {
  const [, code, status] = /^\S+ ([a-z_]+)(?: \((\d{3})\))?:/.exec(text ?? '') ?? [];
  return status ?? code ?? '_OTHER';
}
