import type { z } from 'zod';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { ErrorDetail } from '../errors/api-error.ts';
import { invalid } from '../errors/validation.ts';
import type { voiceBody } from '../schemas/agent.ts';

type Voice = AgentConfiguration['voice'];
type VoiceBody = z.output<typeof voiceBody>;

/** A voice of another provider than `base` needs a name. */
export function voiceNameFaults({ name, provider }: VoiceBody, base: Voice): readonly ErrorDetail[] {
  if (name !== undefined || provider === undefined || provider === base.provider) return [];
  return [{ field: 'voice.name', message: `required, because the voice ${base.name} is one of ${base.provider}` }];
}

/**
 * The whole voice of a request that may name only parts of it, such as `{speed}`. Without `name`, the voice stays that of
 * `base` with the given fields replaced. With `name`, only the provider comes from `base`.
 *
 * @throws ApiError 422 with `voiceNameFaults`
 */
export function completedVoice(body: VoiceBody, base: Voice): Voice {
  const { name, provider, speed, ...given } = body;
  if (name !== undefined) return { ...given, name, provider: provider ?? base.provider, speed: speed ?? 1 };
  const faults = voiceNameFaults(body, base);
  if (faults.length > 0) throw invalid(faults);
  return { ...base, ...given, speed: speed ?? base.speed };
}
