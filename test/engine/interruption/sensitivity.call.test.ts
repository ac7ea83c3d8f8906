import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

/** 0.2–1.6 s, then 1.6–2.65 s. */
const LONG = 'One two three four five six. Seven eight nine ten.';

type Sensitivity = 'low' | 'medium' | 'high';

function spoken(sensitivity: Sensitivity, ms: number, text: string): Simulation {
  return new Simulation({ agent: { initial_message: LONG, interruptions_sensitivity: sensitivity } })
    .userSpeaks(0.6, 0.6 + ms / 1000, text, { finalAfter: 0.1 })
    .runUntil(10);
}

function isCut(call: Simulation): boolean {
  return !call.heard.some(({ text }) => text === 'Seven eight nine ten.');
}

describe('what interrupts from the agent', () => {
  it.each([
    ['high', 200, 'Blue'],
    ['medium', 500, 'Blue'],
    ['low', 800, 'The blue house'],
  ] as const)('at %s sensitivity is %i ms of speech, and not 1 ms less', (sensitivity, ms, text) => {
    expect(isCut(spoken(sensitivity, ms, text))).toBe(true);
    const less = spoken(sensitivity, ms - 1, text);
    expect(isCut(less)).toBe(false);
    // It was held, goes on at the very sample, and answers afterwards.
    expect(less.heard.slice(0, 2)).toEqual([
      { text: 'One two three four five six.', fromMs: 200, toMs: 600 },
      { text: 'One two three four five six.', fromMs: 600 + ms - 1 + 100, toMs: 1_600 + ms - 1 + 100 },
    ]);
    expect(less.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([text]);
  });

  it.each([
    ['high', 'Okay', true],
    ['high', 'mhm', true],
    ['medium', 'Okay', false],
    ['medium', 'Okay I see', false],
    ['medium', 'Okay but', true],
    ['low', 'blue house', false],
    ['low', 'the blue house', true],
    ['low', 'okay I see', false],
    ['low', 'stop', true],
    ['low', 'hold on', true],
  ] as const)('at %s sensitivity, after a long time: «%s» %s', (sensitivity, text, cuts) => {
    expect(isCut(spoken(sensitivity, 1_200, text))).toBe(cuts);
  });

  it.each(['low', 'medium', 'high'] as const)(
    'at %s sensitivity is a word that always interrupts, however short',
    (one) => {
      const call = spoken(one, 150, 'Stop.');
      expect(call.heard[0]?.toMs).toBe(600);
      expect(isCut(call)).toBe(true);
    },
  );

  it.each([
    ['high', 800],
    ['medium', 1_100],
    ['low', 1_400],
  ] as const)('at %s sensitivity is taken while the user still speaks, at %i ms exactly', (sensitivity, atMs) => {
    const call = new Simulation({ agent: { initial_message: LONG, interruptions_sensitivity: sensitivity } })
      .at(0.6, (one) => one.media.emit({ type: 'speech_started', audioMs: 600 }))
      .interimAt(0.7, 0.6, 'Is the blue house free');
    call.runUntil((atMs - 1) / 1000);
    expect(call.handle.view().agentState).toBe('paused');
    expect(call.commands.some(({ type }) => type === 'playout.clear')).toBe(false);
    call.runUntil(atMs / 1000);
    expect(call.handle.view().agentState).toBe('userSpeaking');
    expect(call.commands.some(({ type }) => type === 'playout.clear')).toBe(true);
  });

  it('is the same while the agent thinks: short sounds drop no generation, words do', () => {
    const model = [{ after: 3, text: 'One.' }, { text: 'Two.' }];
    const thinking = (ms: number, text: string) =>
      new Simulation({ agent: {}, model })
        .userSpeaks(0.5, 1, 'Hello?')
        .userSpeaks(2, 2 + ms / 1000, text, { finalAfter: 0.1 })
        .runUntil(12);
    expect(thinking(499, 'Blue').heard[0]?.text).toBe('One.');
    expect(thinking(600, 'mhm').heard.map(({ text }) => text)).toEqual(['One.']);
    expect(thinking(500, 'Blue').heard.map(({ text }) => text)).toEqual(['Two.']);
  });
});

describe('a short «yes»', () => {
  it.each(['Yes.', 'Yeah', 'Okay.'])(
    '«%s» to a question is an answer, whether it comes over its end or behind it',
    (text) => {
      for (const from of [0.8, 0.85, 1, 1.5]) {
        // The question is over at 0.9 s.
        const call = new Simulation({ agent: { initial_message: 'Is that right?' } })
          .userSpeaks(from, from + 0.2, text)
          .runUntil(10);
        expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([text]);
      }
    },
  );

  it('is an answer also where interruptions are off, and where the activity was missed', () => {
    const off = new Simulation({ agent: { initial_message: 'Is that right?', interruptions: false } })
      .userSpeaks(0.6, 0.8, 'Yes.')
      .runUntil(10);
    expect(off.modelRequests).toHaveLength(1);
    const missed = new Simulation({ agent: { initial_message: 'Is that right?' } })
      .at(1.2, (one) => one.emitFinal(0.95, 1.1, 'Yes.'))
      .runUntil(10);
    expect(missed.modelRequests).toHaveLength(1);
  });
});

it('without interruptions the user is heard, and answered from the moment at which the agent has finished', () => {
  const call = new Simulation({ agent: { initial_message: LONG, interruptions: false } })
    .userSpeaks(0.8, 1.7, 'Stop that please.')
    .runUntil(10);
  // No pause, no cut: the agent ends at 2.65 s, and nothing more is waited for.
  expect(call.heard).toEqual([
    { text: 'One two three four five six.', fromMs: 200, toMs: 1_600 },
    { text: 'Seven eight nine ten.', fromMs: 1_600, toMs: 2_650 },
    { text: 'Yes.', fromMs: 2_950, toMs: 3_150 },
  ]);
  expect(call.dialogue).toEqual([`agent: ${LONG}`, 'user: Stop that please.', 'agent: Yes.']);
});

it('a farewell over the goodbye takes nothing back, also as «no, thank you»', () => {
  const HANG_UP = { type: 'hang_up' as const, name: 'bye', filler_sentence: 'Is there anything else? Goodbye then.' };
  const call = new Simulation({
    agent: { states: [{ name: 'start', tools: [HANG_UP] }] },
    model: [{ toolCalls: [{ name: 'bye' }] }],
  })
    .userSpeaks(0.5, 1, 'That is all.')
    .userSpeaks(1.8, 2.6, 'No, thank you, bye.')
    .runUntil(10);
  expect(call.endReason).toBe('agent_hangup');
  expect(call.modelRequests).toHaveLength(1);
});
