import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Provider } from '../adapters/registry.ts';
import type { TapeDifference } from '../adapters/tape/difference.ts';
import { createTapeLanguageModel } from '../adapters/tape/language-model.ts';
import { createTapeTranscriber } from '../adapters/tape/transcriber.ts';
import { createTapeVoice } from '../adapters/tape/voice.ts';
import { answersOf } from '../engine/tape/answers-of.ts';
import { decodeWav } from '../sip/rtp/wav.ts';
import { createRealClock } from './calls/real-clock.ts';
import { readTapeFolder } from './tape-folder.ts';

/**
 * The provider `tape`: every call hears, thinks and speaks what the recorded one did. Rejects where the folder is no tape
 * with a `voice.wav`.
 */
export async function loadTapeProvider(
  directory: string,
  onDifference: (difference: TapeDifference) => void,
): Promise<Provider> {
  const tape = await readTapeFolder(directory);
  const voice = decodeWav(await readFile(join(directory, 'voice.wav')));
  if (voice === null) throw new Error(`${join(directory, 'voice.wav')}: this is no WAV file`);
  const answers = answersOf(tape);
  const { after } = createRealClock();
  const forCall = () => ({
    transcriber: createTapeTranscriber(answers.transcriber, tape.header.facts.transcriberTraits, after),
    languageModel: createTapeLanguageModel(answers, after, onDifference),
    voice: createTapeVoice(answers, voice.data, after, onDifference),
  });
  return { name: 'tape', setting: 'TAPE_DIR', isConfigured: true, ...forCall(), forCall };
}
