import { join } from 'node:path';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { AgentConfiguration } from '../../../engine/agent/agent.ts';
import type { CallParameters } from '../../../engine/core/state/call-parameters.ts';
import type { Log } from '../../log/log.ts';
import { freeBytes } from '../../storage/disk/free-bytes.ts';
import { openTape, type TapeWriter } from './tape-writer.ts';

/** Where tapes are written. */
export interface CallTapes {
  readonly dataDir: string;
  /** Free bytes below which no tape is started; recordings stop by themselves. */
  readonly diskLowWaterBytes: number;
}

export interface TapedCall {
  readonly configuration: AgentConfiguration;
  readonly parameters: CallParameters;
  /** Format of the user's audio. */
  readonly format: AudioFormat;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

/** Opens the tape of a call; null if the agent keeps none, the disk is nearly full or the folder cannot be made. Never rejects. */
export async function openCallTape(
  { dataDir, diskLowWaterBytes }: CallTapes,
  { configuration, parameters, format, log }: TapedCall,
): Promise<TapeWriter | null> {
  if (!configuration.record_tape) return null;
  const onLost = (error: Error) => log.error({ err: error }, 'tape write failed');
  if ((await freeBytes(dataDir)) < diskLowWaterBytes) {
    log.warn({}, 'tape skipped, disk below low-water mark');
    return null;
  }
  return openTape(join(dataDir, 'tapes', parameters.callId), configuration, parameters, format, onLost).catch(
    (error: Error) => {
      onLost(error);
      return null;
    },
  );
}
