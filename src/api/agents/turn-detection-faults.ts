import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { ApiDependencies } from '../context/route-context.ts';
import type { ErrorDetail } from '../errors/api-error.ts';

/** `provider` needs a transcriber that detects turns; one that is not configured is not judged. */
export function turnDetectionFaults(
  { turn_detection, transcriber }: AgentConfiguration,
  transcriberField: string,
  { detectsTurns }: Pick<ApiDependencies, 'detectsTurns'>,
): readonly ErrorDetail[] {
  if (turn_detection !== 'provider' || detectsTurns(transcriber) !== false) return [];
  const name = [transcriber.provider, transcriber.model].filter((part) => part !== undefined).join(' ');
  const message = `${name} detects no turns. Choose another ${transcriberField}, for example deepgram flux-general-en, or \`auto\``;
  return [{ field: 'turn_detection', message }];
}
