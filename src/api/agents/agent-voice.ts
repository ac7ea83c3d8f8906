import type { z } from 'zod';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import { invalidField } from '../errors/api-error.ts';
import type { voiceBody } from '../schemas/agent.ts';

type Voice = AgentConfiguration['voice'];

/**
 * The whole voice of a request that may name only parts of it, such as `{speed}`. Without `name`, the voice stays that of
 * `base` with the given fields replaced. With `name`, only the provider comes from `base`.
 *
 * @throws ApiError 422 for another provider without the name of a voice
 */
export function completedVoice({ name, provider, speed, ...given }: z.output<typeof voiceBody>, base: Voice): Voice {
  if (name !== undefined) return { ...given, name, provider: provider ?? base.provider, speed: speed ?? 1 };
  if (provider !== undefined && provider !== base.provider) {
    throw invalidField('voice.name', `required, because the voice ${base.name} is one of ${base.provider}`);
  }
  return { ...base, ...given, speed: speed ?? base.speed };
}
