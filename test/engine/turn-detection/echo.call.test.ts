import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

/** 50 ms a character, from 0.2 s on: «two» is played at 0.4 s, «Seven» at 1.6 s; all is over at 2.65 s. */
const LONG = 'One two three four five six. Seven eight nine ten.';
const agent = { initial_message: LONG };

function sound(call: Simulation, from: number, to: number): Simulation {
  return call
    .at(from, (one) => one.media.emit({ type: 'speech_started', audioMs: from * 1000 }))
    .at(to, (one) => one.media.emit({ type: 'speech_stopped', audioMs: to * 1000 }));
}

function expectUntouched(call: Simulation): void {
  expect(call.modelRequests).toEqual([]);
  expect(call.heard.at(-1)?.text).toBe('Seven eight nine ten.');
  expect(call.handle.view().agentState).toBe('listening');
}

describe('the agent’s own voice from a speakerphone', () => {
  it('does not interrupt, is no line of the user’s, and is not answered', () => {
    const call = sound(new Simulation({ agent }), 0.6, 1.2)
      .at(1.4, (one) => one.emitFinal(0.6, 1.2, 'Two three four.'))
      .runUntil(10);
    expectUntouched(call);
    expect(call.dialogue).toEqual([`agent: ${LONG}`]);
  });

  it('does not interrupt either as words that are still parts of words', () => {
    for (const sensitivity of ['low', 'medium', 'high'] as const) {
      const call = sound(new Simulation({ agent: { ...agent, interruptions_sensitivity: sensitivity } }), 0.6, 1.2)
        .interimAt(0.9, 0.6, 'two thr')
        .interimAt(1.1, 0.6, 'two three fo')
        .at(1.4, (one) => one.emitFinal(0.6, 1.2, 'Two three four.'))
        .runUntil(10);
      expectUntouched(call);
    }
  });

  it('interrupts once what seemed to be it becomes other words', () => {
    const call = sound(new Simulation({ agent }), 0.6, 1.8)
      .interimAt(0.9, 0.6, 'two thr')
      .interimAt(1.3, 0.6, 'two throws please')
      .at(2, (one) => one.emitFinal(0.6, 1.8, 'To throw, please.'))
      .runUntil(10);
    expect(call.heard.map(({ text }) => text)).toEqual(['One two three four five six.', 'Yes.']);
    expect(call.modelRequests[0]?.messages.at(-1)?.content).toBe('To throw, please.');
  });

  it('is no turn where its words come after the agent has fallen silent', () => {
    const call = sound(new Simulation({ agent: { ...agent, interruptions: false } }), 1.7, 2.8)
      .at(3.1, (one) => one.emitFinal(1.7, 2.8, 'Seven eight nine ten.'))
      .runUntil(10);
    expectUntouched(call);
    expect(call.dialogue).toEqual([`agent: ${LONG}`]);
    const late = sound(new Simulation({ agent: { ...agent, interruptions: false } }), 1.7, 2.8)
      .interimAt(2.8, 1.7, 'seven eight nine')
      .runUntil(10);
    expectUntouched(late);
  });

  it('is no turn either from a transcriber that detects turns', () => {
    const parameters = { transcriberTraits: { detectsTurns: true, finalP99Ms: 400 } };
    const call = sound(new Simulation({ agent: { ...agent, interruptions: false }, parameters }), 1.7, 2.8)
      .at(3, (one) =>
        one.emitTranscriberEvent({
          type: 'turn',
          phase: 'ended',
          text: 'Seven eight nine ten.',
          startMs: 1_700,
          endMs: 2_800,
        }),
      )
      .runUntil(10);
    expectUntouched(call);
  });

  it('is left out of what the user says behind it', () => {
    const call = sound(new Simulation({ agent: { ...agent, interruptions: false } }), 0.6, 2.4)
      .at(1.2, (one) => one.emitFinal(0.6, 1.1, 'Two three four.', false))
      .at(2.6, (one) => one.emitFinal(1.3, 2.4, 'What does it cost?'))
      .runUntil(10);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual(['What does it cost?']);
  });
});

describe('a user who repeats the agent’s words', () => {
  it.each([
    ['right behind it', 2.05],
    ['over its last syllable', 1.8],
  ])('%s is heard: it is their answer', (_, from) => {
    // «Tuesday morning» is played from 1.1 to 1.9 s.
    const call = sound(
      new Simulation({ agent: { initial_message: 'Is it Monday or Tuesday morning?' } }),
      from,
      from + 0.7,
    )
      .at(from + 0.9, (one) => one.emitFinal(from, from + 0.7, 'Tuesday morning.'))
      .runUntil(10);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual(['Tuesday morning.']);
    expect(call.dialogue[1]).toBe('user: Tuesday morning.');
  });
});
