import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { CallParameters } from '../../../engine/core/state/call-parameters.ts';
import type { Log } from '../../log/log.ts';

export interface TapedCall {
  readonly configuration: AgentConfiguration;
  readonly parameters: CallParameters;
  /** Format of the user's audio. */
  readonly format: AudioFormat;
  readonly log: Pick<Log, 'warn' | 'error'>;
}
