import { describe, expect, it } from 'vitest';
import { CHARACTER_MS, MODEL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const TRAITS = { detectsTurns: false, finalP99Ms: 326 };
const SAID = 'By the way, our office is closed on every Monday of this month.';
const ANSWER = 'Tomorrow at noon.';
/** A short sound without words is noise this long after its end: the percentile, and the slack of the network and of noise. */
const NOISE_MS = TRAITS.finalP99Ms + 100 + 200;
const START_S = 10;
const END_S = 10.9;
const SAID_FROM_MS = END_S * 1000 + NOISE_MS + VOICE_MS;
const SAID_UNTIL_MS = SAID_FROM_MS + SAID.length * CHARACTER_MS;

function callWith(agent = {}): Simulation {
  return new Simulation({ agent, parameters: { transcriberTraits: TRAITS }, model: [{ text: 'Noted.' }] });
}

/** A say request comes during a short answer, whose words become known this late. */
function callWithLateAnswer(finalAfter: number): Simulation {
  return callWith()
    .userSpeaks(START_S, END_S, ANSWER, { finalAfter })
    .at(10.5, (call) => call.handle.post({ type: 'call.say', text: SAID, interrupt: false }))
    .runUntil(30);
}

describe('words that ended before the agent’s speech, and become known during it', () => {
  it.each([1, 1.2, 2])('%d s late do not interrupt it, and are answered after it', (finalAfter) => {
    const call = callWithLateAnswer(finalAfter);
    expect(call.heard.map(({ text, fromMs, toMs }) => [text, fromMs, toMs])).toEqual([
      [SAID, SAID_FROM_MS, SAID_UNTIL_MS],
      ['Noted.', SAID_UNTIL_MS + MODEL_MS + VOICE_MS, SAID_UNTIL_MS + MODEL_MS + VOICE_MS + 6 * CHARACTER_MS],
    ]);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([ANSWER]);
    expectReplay(call);
  });

  it('do not belong to a sound during it', () => {
    const call = callWith()
      .userSpeaks(START_S, END_S, ANSWER, { finalAfter: 1.6 })
      .at(10.5, (call) => call.handle.post({ type: 'call.say', text: SAID, interrupt: false }))
      .at(12.4, ({ media }) => media.emit({ type: 'speech_started', audioMs: 12_400 }))
      .at(12.7, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: 12_700 }))
      .runUntil(30);
    expect(call.heard[0]).toEqual({ text: SAID, fromMs: SAID_FROM_MS, toMs: SAID_UNTIL_MS });
  });

  it('interrupt it if they go on during it', () => {
    const call = callWith()
      .at(START_S, ({ media }) => media.emit({ type: 'speech_started', audioMs: START_S * 1000 }))
      .at(END_S, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: END_S * 1000 }))
      .at(10.5, (call) => call.handle.post({ type: 'call.say', text: SAID, interrupt: false }))
      .at(12.6, (call) => call.emitFinal(START_S, 12.4, 'Tomorrow at noon would be fine for me.'))
      .runUntil(30);
    expect(call.heard[0]?.toMs).toBe(12_600);
  });
});

describe('a sound that ended shortly before the reply', () => {
  const MESSAGE = 'Welcome, this is the office of Miller and Sons.';
  const MESSAGE_END_S = (VOICE_MS + MESSAGE.length * CHARACTER_MS) / 1000;

  it('keeps its turn until its words are known, whatever else is to be said', () => {
    const call = callWith({ initial_message: MESSAGE })
      .userSpeaks(MESSAGE_END_S - 0.4, MESSAGE_END_S - 0.1, 'Hi, it is me.', { finalAfter: 0.4 })
      .at(1, (call) => call.handle.post({ type: 'call.say', text: SAID, interrupt: false }))
      .runUntil(20);
    expect(call.heardTexts).toEqual([MESSAGE, 'Noted.', SAID]);
    expectReplay(call);
  });

  it('is noise without words, after their timeout', () => {
    const soundEndMs = Math.round((MESSAGE_END_S - 0.1) * 1000);
    const call = callWith({ initial_message: MESSAGE })
      .at(MESSAGE_END_S - 0.4, ({ media }) => media.emit({ type: 'speech_started', audioMs: soundEndMs - 300 }))
      .at(MESSAGE_END_S - 0.1, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: soundEndMs }))
      .at(1, (call) => call.handle.post({ type: 'call.say', text: SAID, interrupt: false }))
      .runUntil(20);
    expect(call.heard.at(-1)).toMatchObject({ text: SAID, fromMs: soundEndMs + NOISE_MS + VOICE_MS });
  });

  it('does not delay what follows if its words would be known by now', () => {
    const call = callWith({ initial_message: MESSAGE })
      .at(0.5, ({ media }) => media.emit({ type: 'speech_started', audioMs: 500 }))
      .at(0.8, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: 800 }))
      .at(1, (call) => call.handle.post({ type: 'call.say', text: SAID, interrupt: false }))
      .runUntil(20);
    expect(call.heard.at(-1)).toMatchObject({ text: SAID, fromMs: MESSAGE_END_S * 1000 + VOICE_MS });
  });
});
