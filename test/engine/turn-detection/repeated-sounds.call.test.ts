import { expect, it } from 'vitest';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const SPEECH_END_S = 1.5;
const SOUNDS_UNTIL_S = 30;
/** Sounds count for this long behind the last word of a transcriber that sends interims. */
const SOUNDS_MAX_MS = 2_500;
/** Then the turn ends within the wait of a transcriber that detects turns itself, the longest one, and the answer follows. */
const WAIT_MAX_MS = 5_000;
const ANSWER_MAX_MS = 2_000;

function heardMs(everyS: number, soundS: number, scenario: Partial<Scenario> = {}): number {
  const call = new Simulation({ agent: {}, model: [{ text: 'We open at nine.' }], ...scenario })
    .interimAt(1.2, 0.5, 'I want to come')
    .userSpeaks(0.5, SPEECH_END_S, 'I want to come tomorrow at eight');
  for (let at = 1.7; at < SOUNDS_UNTIL_S; at += everyS) {
    const until = at + soundS;
    call.at(at, ({ media }) => media.emit({ type: 'speech_started', audioMs: Math.round(at * 1000) }));
    call.at(until, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: Math.round(until * 1000) }));
  }
  return call.runUntil(SOUNDS_UNTIL_S + 10).heard[0]?.fromMs ?? Number.POSITIVE_INFINITY;
}

it.each([
  [0.9, 0.25],
  [1.2, 0.3],
  [1.5, 0.3],
])('sounds without words, one in %s s, hold an answer back for a bounded time', (everyS, soundS) => {
  const boundMs = SPEECH_END_S * 1000 + SOUNDS_MAX_MS + WAIT_MAX_MS + ANSWER_MAX_MS;
  expect(heardMs(everyS, soundS)).toBeLessThan(boundMs);
});
