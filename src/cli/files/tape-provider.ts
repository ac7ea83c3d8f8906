import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Provider } from '../../../adapters/registry/provider.ts';
import { createTapeLanguageModel } from '../../../adapters/tape-replay/language-model.ts';
import { recordedSpeech, silentSpeech } from '../../../adapters/tape-replay/tape-speech.ts';
import { createTapeTranscriber } from '../../../adapters/tape-replay/transcriber.ts';
import { createTapeVoice } from '../../../adapters/tape-replay/voice.ts';
import { decodeWav } from '../../../base/audio/wav.ts';
import { createStallSafeClock } from '../../../base/time/stall-safe-clock.ts';
import type { MakeTapeProviders } from '../../../engine/tape/re-simulation/re-simulation.ts';
import { readRecordedResponses } from '../../../engine/tape/re-simulation/read-recorded-responses.ts';
import type { RequestDifference } from '../../../engine/tape/re-simulation/request-difference.ts';
import { readTapeFolder } from './tape-folder.ts';

/**
 * The provider `tape`: its transcriber, model and voice replay the recorded call in every call. Rejects if the folder is not
 * a tape with a `voice.wav`.
 */
export async function loadTapeProvider(
  directory: string,
  onDifference: (difference: RequestDifference) => void,
  name = 'tape',
): Promise<Provider> {
  const tape = await readTapeFolder(directory);
  const voice = decodeWav(await readFile(join(directory, 'voice.wav')));
  if (voice === null) throw new Error(`${join(directory, 'voice.wav')}: this is no WAV file`);
  const answers = readRecordedResponses(tape);
  const speech = recordedSpeech(voice.format, voice.data);
  const { after } = createStallSafeClock();
  const forCall = () => ({
    transcriber: createTapeTranscriber(answers.transcriber, tape.header.parameters.transcriberTraits, after),
    languageModel: createTapeLanguageModel(answers, after, onDifference),
    voice: createTapeVoice(answers.voices, speech, after, onDifference),
  });
  return { name, setting: 'TAPE_DIR', isConfigured: true, ...forCall(), forCall };
}

/** The adapters for re-simulation. The voice is silent and has the recorded length. */
export const tapeProviders: MakeTapeProviders = (answers, { header }, after, onDifference) => ({
  transcriber: createTapeTranscriber(answers.transcriber, header.parameters.transcriberTraits, after),
  model: createTapeLanguageModel(answers, after, onDifference),
  voice: createTapeVoice(answers.voices, silentSpeech(header.format), after, onDifference),
});
