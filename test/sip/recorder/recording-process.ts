import { stat } from 'node:fs/promises';
import { Recorder } from '../../../sip/recorder/recorder.ts';
import { RecordingTrack } from '../../../sip/recorder/recording-ring.ts';

/**
 * A process that records a ramp in real time to the path of its first argument. Prints a line once the file contains
 * audio. Runs until it is killed.
 */
const path = process.argv[2] ?? '';
const recording = new Recorder({ lowWaterBytes: 0 }).start(path);
const track = new RecordingTrack(recording.memory);
const caller = new Int16Array(160);
const agent = new Int16Array(160);
let reported = false;

setInterval(async () => {
  for (let i = 0; i < caller.length; i++) {
    agent[i] = -(((track.written + i) % 30_000) + 1);
  }
  track.write(caller, 0, agent, 0, caller.length);
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > 8000 && !reported) {
    reported = true;
    process.stdout.write('recording\n');
  }
}, 20);
