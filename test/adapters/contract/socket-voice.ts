import type { VoiceDeadlines } from '../../../adapters/segmented-voice/segment-queue.ts';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { Voice } from '../../../engine/ports/voice.ts';
import type { Refusal } from '../../providers/socket/refused-upgrade.ts';
import type { SpeakAnswer } from '../../providers/speech/speak-answer.ts';
import { ALL_FAILURES } from './failure.ts';
import { type VoiceScenario, voiceContract } from './voice.ts';
import { contractAnswer, contractOpenMs, contractRefusal, deadlinesFor } from './voice-responses.ts';

export const MULAW: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8_000 };
export const WIDEBAND: AudioFormat = { encoding: 'linear16', sampleRateHz: 16_000 };

/** How the emulator behaves in a scenario. */
export interface VoiceEmulation {
  readonly speak: (text: string) => SpeakAnswer;
  readonly refuse: () => Refusal | undefined;
  readonly openMs: number;
}

interface EmulatedVoice {
  readonly apiKey: string;
  readonly openSockets: number;
  close(): Promise<void>;
}

/** A voice over a WebSocket, and the emulator of its provider. */
export interface SocketVoice<Emulator extends EmulatedVoice> {
  readonly start: (emulation: VoiceEmulation) => Promise<Emulator>;
  readonly createVoice: (emulator: Emulator, deadlines: VoiceDeadlines) => Voice;
  readonly requestCount: (emulator: Emulator) => number;
}

/** The contract of the port, in a telephone's format and in a wideband one. */
export function socketVoiceContract<Emulator extends EmulatedVoice>(name: string, voice: SocketVoice<Emulator>): void {
  for (const format of [MULAW, WIDEBAND])
    voiceContract(`${name} (${format.encoding})`, (scenario) => subjectOf(voice, scenario, format), ALL_FAILURES);
}

async function subjectOf<Emulator extends EmulatedVoice>(
  { createVoice, requestCount, start }: SocketVoice<Emulator>,
  scenario: VoiceScenario,
  format: AudioFormat,
) {
  const emulator = await start({
    speak: (text) => contractAnswer(text, scenario),
    refuse: () => contractRefusal(scenario),
    openMs: contractOpenMs(scenario),
  });
  if (scenario === 'refused_connection') await emulator.close();
  return {
    voice: createVoice(emulator, deadlinesFor(scenario)),
    format,
    secret: emulator.apiKey,
    requestCount: () => requestCount(emulator),
    openSockets: () => emulator.openSockets,
    close: () => (scenario === 'refused_connection' ? Promise.resolve() : emulator.close()),
  };
}
