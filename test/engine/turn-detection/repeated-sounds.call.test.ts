import { describe, expect, it } from 'vitest';
import { ENDPOINT_BOUNDS } from '../../../engine/turn-detection/endpoint-delay.ts';
import { MODEL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { Simulation } from '../simulation/simulation.ts';

const SPEECH_END_MS = 1_500;
const SOUNDS_UNTIL_S = 30;
const TEXT = 'I want to come tomorrow at eight';

type Transcriber = 'sends interims' | 'has sent no interims' | 'detects turns';

/** The user's sentence, as this transcriber reports it. */
function callWith(transcriber: Transcriber): Simulation {
  const traits = { detectsTurns: transcriber === 'detects turns', finalP99Ms: 400 };
  const call = new Simulation({
    agent: {},
    parameters: { transcriberTraits: traits },
    model: [{ text: 'We open at nine.' }],
  });
  if (transcriber !== 'detects turns') {
    if (transcriber === 'sends interims') call.interimAt(1.2, 0.5, 'I want to come');
    return call.userSpeaks(0.5, SPEECH_END_MS / 1000, TEXT);
  }
  const turn = { type: 'turn', phase: 'ended', text: TEXT, startMs: 500, endMs: SPEECH_END_MS } as const;
  return call
    .at(0.5, ({ media }) => media.emit({ type: 'speech_started', audioMs: 500 }))
    .at(SPEECH_END_MS / 1000, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: SPEECH_END_MS }))
    .at(1.7, () => call.emitTranscriberEvent(turn));
}

/** When the answer is heard, with a sound every `everyMs`. */
function heardMs(call: Simulation, everyMs: number, soundMs: number): number {
  for (let atMs = 1_750; atMs < SOUNDS_UNTIL_S * 1000; atMs += everyMs) {
    const endMs = atMs + soundMs;
    call.at(atMs / 1000, ({ media }) => media.emit({ type: 'speech_started', audioMs: atMs }));
    call.at(endMs / 1000, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: endMs }));
  }
  return call.runUntil(SOUNDS_UNTIL_S + 10).heard[0]?.fromMs ?? Number.POSITIVE_INFINITY;
}

describe('sounds without words after a sentence', () => {
  it.each([
    ['sends interims', 900, 250],
    ['sends interims', 1_200, 300],
    ['sends interims', 1_500, 1_300],
    ['has sent no interims', 900, 250],
    ['has sent no interims', 1_200, 300],
    ['has sent no interims', 1_500, 1_300],
    ['detects turns', 700, 500],
    ['detects turns', 2_000, 300],
    ['detects turns', 1_500, 1_300],
  ] as const)('hold the answer back for a bounded time if the transcriber %s: one in %i ms, of %i ms', (...sounds) => {
    const [transcriber, everyMs, soundMs] = sounds;
    const heard = heardMs(callWith(transcriber), everyMs, soundMs);
    expect(heard).toBeLessThanOrEqual(SPEECH_END_MS + ENDPOINT_BOUNDS.soundsMs + MODEL_MS + VOICE_MS);
  });
});
