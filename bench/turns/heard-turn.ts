import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeMulawSample } from '../../base/audio/g711.ts';
import { decodeWav } from '../../base/audio/wav.ts';
import { type LabelledSound, SOUNDS_FOLDER } from '../../fixtures/turns/labelled-turns.ts';
import { VoiceActivityDetector, type VoiceClassifier } from '../../sip/media/detection/voice-activity.ts';
import type { JudgedTurn } from './outcome.ts';

const SAMPLES_PER_MS = 8;
/** Silence after a complete turn. */
const TAIL_MS = 2_500;

/** When a turn that is heard ends: the pause of its words, counted from the end of voice activity that media reports. */
export function heardTurn(sound: LabelledSound, pauseMs: number, classifier: VoiceClassifier): JudgedTurn {
  const wav = decodeWav(readFileSync(join(SOUNDS_FOLDER, sound.file)));
  if (wav === null) throw new Error(`${sound.file} is no WAV file. Make it again: node fixtures/make-turn-sounds.ts`);
  const samples = Int16Array.from(wav.data, decodeMulawSample);
  const at = sound.pauseAtMs * SAMPLES_PER_MS;
  const silence = new Int16Array((sound.pauseMs ?? TAIL_MS) * SAMPLES_PER_MS);
  const audio = Int16Array.from([...samples.subarray(0, at), ...silence, ...samples.subarray(at)]);
  const detector = new VoiceActivityDetector(classifier);
  let endedMs = 0;
  let stoppedMs: number | null = null;
  detector.write(audio, audio.length, (event) => {
    // The timer runs from the end of speech; activity that starts before it has run out stops it.
    const isEnded = stoppedMs !== null && stoppedMs + pauseMs < event.audioMs;
    if (isEnded && endedMs === 0) endedMs = (stoppedMs ?? 0) + pauseMs;
    stoppedMs = event.type === 'speech_stopped' ? event.audioMs : null;
  });
  detector.free();
  const end = endedMs > 0 ? endedMs : (stoppedMs ?? sound.durationMs) + pauseMs;
  return { pauseMs: sound.pauseMs, endedAfterMs: Math.max(0, end - sound.pauseAtMs) };
}
