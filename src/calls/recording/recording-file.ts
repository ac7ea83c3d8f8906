import { join } from 'node:path';

/** The path of the recording of a call below the data directory. */
export function recordingFile(callId: string): string {
  return join('recordings', `${callId}.wav`);
}
