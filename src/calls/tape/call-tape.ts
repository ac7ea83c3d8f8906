import { join } from 'node:path';
import { freeBytes } from '../../storage/disk/free-bytes.ts';
import { redactedTape } from './redacted-tape.ts';
import { openTape, type TapeWriter } from './tape-writer.ts';
import type { TapedCall } from './taped-call.ts';

/** The data directory of the tapes, and the space that they leave free. */
export interface CallTapes {
  readonly dataDir: string;
  /** Free bytes below which no tape is started; recordings stop by themselves. */
  readonly diskLowWaterBytes: number;
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
  const open = (one: TapedCall) =>
    openTape(join(dataDir, 'tapes', parameters.callId), one.configuration, one.parameters, one.format, onLost);
  const call = { configuration, parameters, format, log };
  const { redaction } = configuration;
  if (redaction !== undefined) return redactedTape(call, redaction.entities, open);
  return open(call).catch((error: Error) => {
    onLost(error);
    return null;
  });
}
