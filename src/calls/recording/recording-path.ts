import { join } from 'node:path';

/** The path of the recording of a call below the data directory. */
export function recordingPathOf(callId: string): string {
  return join('recordings', `${callId}.wav`);
}
