import { join } from 'node:path';

/** Where the recording of a call stands, below the data directory. */
export function recordingFile(callId: string): string {
  return join('recordings', `${callId}.wav`);
}
