import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

/** It plays from 0.2 s to 2.65 s, 50 ms a character: «two» begins at 0.4 s, «Seven» at 1.6 s. */
const INITIAL_MESSAGE = 'One two three four five six. Seven eight nine ten.';
const agent = { initial_message: INITIAL_MESSAGE };

function soundDuring(call: Simulation, fromS: number, toS: number): Simulation {
  return call
    .at(fromS, (call) => call.media.emit({ type: 'speech_started', audioMs: fromS * 1000 }))
    .at(toS, (call) => call.media.emit({ type: 'speech_stopped', audioMs: toS * 1000 }));
}

function expectNoInterruption(call: Simulation): void {
  expect(call.modelRequests).toEqual([]);
  expect(call.heard.at(-1)?.text).toBe('Seven eight nine ten.');
  expect(call.handle.view().agentState).toBe('listening');
}

describe('the agent’s own voice from a speakerphone', () => {
  it('does not interrupt, does not enter the transcript and is not answered', () => {
    const call = soundDuring(new Simulation({ agent }), 0.6, 1.2)
      .at(1.4, (call) => call.emitFinal(0.6, 1.2, 'Two three four.'))
      .runUntil(10);
    expectNoInterruption(call);
    expect(call.dialogue).toEqual([`agent: ${INITIAL_MESSAGE}`]);
  });

  it('is not answered in one final for a reply of many sentences, after its end', () => {
    const sentences =
      'I have looked it up. The shop opens at nine. It closes at six. On Sunday it is closed. Please call again.';
    const endS = 0.2 + sentences.length * 0.05;
    const call = new Simulation({ agent: { initial_message: sentences } })
      .at(endS + 0.4, (call) => call.emitFinal(0.3, endS + 0.1, sentences))
      .runUntil(20);
    expect(call.modelRequests).toEqual([]);
    expect(call.dialogue).toEqual([`agent: ${sentences}`]);
  });

  it('does not interrupt while the last word of the interim text is incomplete', () => {
    for (const sensitivity of ['low', 'medium', 'high'] as const) {
      const call = soundDuring(
        new Simulation({ agent: { ...agent, interruptions_sensitivity: sensitivity } }),
        0.6,
        1.2,
      )
        .interimAt(0.9, 0.6, 'two thr')
        .interimAt(1.1, 0.6, 'two three fo')
        .at(1.4, (call) => call.emitFinal(0.6, 1.2, 'Two three four.'))
        .runUntil(10);
      expectNoInterruption(call);
    }
  });

  it('interrupts once the transcript changes to other words', () => {
    const call = soundDuring(new Simulation({ agent }), 0.6, 1.8)
      .interimAt(0.9, 0.6, 'two thr')
      .interimAt(1.3, 0.6, 'two throws please')
      .at(2, (call) => call.emitFinal(0.6, 1.8, 'To throw, please.'))
      .runUntil(10);
    expect(call.heard.map(({ text }) => text)).toEqual(['One two three four five six.', 'Yes.']);
    expect(call.modelRequests[0]?.messages.at(-1)?.content).toBe('To throw, please.');
  });

  it('is no user turn if its words arrive after the agent’s speech', () => {
    const call = soundDuring(new Simulation({ agent: { ...agent, interruptions: false } }), 1.7, 2.8)
      .at(3.1, (call) => call.emitFinal(1.7, 2.8, 'Seven eight nine ten.'))
      .runUntil(10);
    expectNoInterruption(call);
    expect(call.dialogue).toEqual([`agent: ${INITIAL_MESSAGE}`]);
    const lateInterim = soundDuring(new Simulation({ agent: { ...agent, interruptions: false } }), 1.7, 2.8)
      .interimAt(2.8, 1.7, 'seven eight nine')
      .runUntil(10);
    expectNoInterruption(lateInterim);
  });

  it('is no user turn from a transcriber that detects turns', () => {
    const parameters = { transcriberTraits: { detectsTurns: true, finalP99Ms: 400 } };
    const call = soundDuring(new Simulation({ agent: { ...agent, interruptions: false }, parameters }), 1.7, 2.8)
      .at(3, (call) =>
        call.emitTranscriberEvent({
          type: 'turn',
          phase: 'ended',
          text: 'Seven eight nine ten.',
          startMs: 1_700,
          endMs: 2_800,
        }),
      )
      .runUntil(10);
    expectNoInterruption(call);
  });

  it('is removed from the user turn that follows it', () => {
    const call = soundDuring(new Simulation({ agent: { ...agent, interruptions: false } }), 0.6, 2.4)
      .at(1.2, (call) => call.emitFinal(0.6, 1.1, 'Two three four.'))
      .at(2.6, (call) => call.emitFinal(1.3, 2.4, 'What does it cost?'))
      .runUntil(10);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual(['What does it cost?']);
  });
});

describe('words on a line whose echo is known', () => {
  const DELAY_MS = 700;
  const learnt = (call: Simulation) => call.at(0.1, () => call.media.emit({ type: 'echo_learnt', delayMs: DELAY_MS }));

  it('are the agent’s if the user made no sound, however they were transcribed', () => {
    const call = learnt(new Simulation({ agent }))
      .interimAt(1.3, 0.6, 'to see for')
      .at(1.6, (call) => call.emitFinal(0.6, 1.5, 'To see for life.'))
      .runUntil(10);
    expectNoInterruption(call);
    expect(call.commands.some(({ type }) => type === 'playout.pause')).toBe(false);
    expect(call.dialogue).toEqual([`agent: ${INITIAL_MESSAGE}`]);
  });

  it('are the agent’s until the echo of its last word has arrived', () => {
    const call = learnt(new Simulation({ agent: { ...agent, interruptions: false } }))
      .at(3.6, (call) => call.emitFinal(2.7, 3.3, 'Pen.'))
      .runUntil(10);
    expectNoInterruption(call);
  });

  it('are the user’s if the user spoke', () => {
    const call = learnt(new Simulation({ agent })).userSpeaks(0.6, 1.5, 'To see for life.').runUntil(10);
    expect(call.dialogue).toContain('user: To see for life.');
    expect(call.modelRequests).toHaveLength(1);
  });

  it('are the user’s once the agent is silent, or the echo is gone', () => {
    const after = learnt(new Simulation({ agent }))
      .at(5.5, (call) => call.emitFinal(4.8, 5.3, 'To see for life.'))
      .runUntil(10);
    expect(after.modelRequests).toHaveLength(1);
    const gone = learnt(new Simulation({ agent }))
      .at(0.2, (call) => call.media.emit({ type: 'echo_learnt', delayMs: null }))
      .at(1.6, (call) => call.emitFinal(0.6, 1.5, 'To see for life.'))
      .runUntil(10);
    expect(gone.modelRequests).toHaveLength(1);
  });

  it('are the user’s until the next media worker has learnt the echo', () => {
    const call = learnt(new Simulation({ agent }))
      .at(0.2, ({ media }) => media.emit({ type: 'suspended' }))
      .at(0.3, ({ media }) => media.emit({ type: 'restored' }))
      .at(1.7, (call) => call.emitFinal(0.6, 1.5, 'To see for life.'))
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
  });

  it('repeat the agent’s after that delay, even if a part of the echo is taken for near-end speech', () => {
    // «Two three four» plays from 0.4 s on; without the delay it could not be heard at 1.5 s.
    const call = learnt(new Simulation({ agent: { ...agent, interruptions: false } }))
      .at(1.9, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_900 }))
      .at(2.3, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 2_100 }))
      .at(2.4, (call) => call.emitFinal(1.5, 2.1, 'Two free four five.'))
      .runUntil(10);
    expectNoInterruption(call);
    expect(call.dialogue).toEqual([`agent: ${INITIAL_MESSAGE}`]);
  });
});

describe('a user who repeats the agent’s words', () => {
  it.each([
    ['right after it', 2.05],
    ['over its last syllable', 1.8],
  ])('%s is answered', (_, from) => {
    // «Tuesday morning» plays from 1.1 s to 1.9 s.
    const call = soundDuring(
      new Simulation({ agent: { initial_message: 'Is it Monday or Tuesday morning?' } }),
      from,
      from + 0.7,
    )
      .at(from + 0.9, (call) => call.emitFinal(from, from + 0.7, 'Tuesday morning.'))
      .runUntil(10);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual(['Tuesday morning.']);
    expect(call.dialogue[1]).toBe('user: Tuesday morning.');
  });
});

describe('an answer that comes together with the echo of its question', () => {
  const HELLO = { from: 0.5, to: 1.5, text: 'Hello there.' };
  /** The reply to it begins. */
  const ASKED = 2;
  const CHARACTER = 0.05;
  const words = (text: string, from: number, each: number) =>
    text.split(' ').map((word, at) => ({
      text: word,
      startMs: (from + at * each) * 1000,
      endMs: (from + (at + 1) * each) * 1000,
    }));

  describe.each([
    ['Do you want to cancel it?', 'no'],
    ['What is your name?', 'Peter'],
    ['What day would you like to come in on?', 'Friday at nine'],
    ['Is that correct so far?', 'no'],
    ['Shall we say Tuesday or Wednesday?', 'Tuesday'],
  ])('«%s» «%s»', (question, answer) => {
    it.each([
      [null, true, 'final'],
      [null, false, 'final'],
      [100, true, 'final'],
      [100, false, 'final'],
      [100, true, 'turn'],
      [750, true, 'final'],
    ] as const)('is answered (delay of the echo: %s ms, word times: %s, %s)', (delayMs, hasTimes, type) => {
      const traits = { detectsTurns: type === 'turn', finalP99Ms: 400 };
      const call = new Simulation({
        agent: {},
        parameters: { transcriberTraits: traits },
        model: [{ text: question }, { text: 'Fine.' }],
      });
      if (delayMs !== null) call.at(0.1, () => call.media.emit({ type: 'echo_learnt', delayMs }));
      const turn = (text: string, from: number, to: number, times: ReturnType<typeof words>) => {
        const span = { text, startMs: from * 1000, endMs: to * 1000, words: times };
        call.emitTranscriberEvent(type === 'turn' ? { type, phase: 'ended', ...span } : { type, ...span });
      };
      soundDuring(call, HELLO.from, HELLO.to).at(1.7, () => turn(HELLO.text, HELLO.from, HELLO.to, []));
      const echo = question.toLowerCase().replace('?', '');
      const late = (delayMs ?? 100) / 1000;
      const each = (question.length * CHARACTER) / echo.split(' ').length;
      const from = ASKED + question.length * CHARACTER + Math.max(0.3, late + 0.2);
      const to = from + answer.split(' ').length * 0.35;
      const times = [...words(echo, ASKED + late, each), ...words(answer, from, 0.35)];
      soundDuring(call, from, to)
        .at(to + 0.2, () => turn(`${echo} ${answer}`, ASKED + late, to, hasTimes ? times : []))
        .runUntil(20);
      expect(call.dialogue.slice(1)).toEqual([`agent: ${question}`, `user: ${answer}`, 'agent: Fine.']);
      expect(call.modelRequests.at(-1)?.messages.at(-1)?.content).toBe(answer);
    });
  });

  it('is not dropped if it repeats the end of the question, whatever the delay', () => {
    for (const delayMs of [null, 100, 400, 750, 900]) {
      const question = 'Shall we say Tuesday morning?';
      const call = new Simulation({ agent: {}, model: [{ text: question }, { text: 'Fine.' }] });
      if (delayMs !== null) call.at(0.1, () => call.media.emit({ type: 'echo_learnt', delayMs }));
      const from = ASKED + question.length * CHARACTER + 0.25;
      call
        .userSpeaks(HELLO.from, HELLO.to, HELLO.text)
        .userSpeaks(from, from + 0.8, 'Tuesday morning.')
        .runUntil(20);
      expect(call.dialogue.slice(2)).toEqual(['user: Tuesday morning.', 'agent: Fine.']);
    }
  });
});

describe('what the user says over the agent on a line whose echo is known', () => {
  const DELAY = 0.3;
  /** The echo of the initial message, without the words that the user's voice covers. */
  const echoExcept = (from: number, to: number) =>
    [...INITIAL_MESSAGE.matchAll(/\w+/g)]
      .map(({ 0: text, index }) => {
        const startMs = (0.2 + DELAY + index * 0.05) * 1000;
        return { text, startMs, endMs: startMs + text.length * 50 };
      })
      .filter(({ startMs, endMs }) => endMs < from * 1000 || startMs > to * 1000);

  it.each([
    ['in place of one of its words', 1.3, 'no'],
    ['with a word of the agent', 1.3, 'two'],
    ['with that very word', 0.7, 'two'],
    ['with words of which the last ones are the agent’s', 1.3, 'no five six'],
    ['over its last word', 2.75, 'stop'],
  ])('is answered whole %s', (_, from, said) => {
    const own = said.split(' ').map((text, at) => {
      const startMs = (from + at * 0.25) * 1000;
      return { text, startMs, endMs: startMs + 200 };
    });
    const to = (own.at(-1)?.endMs ?? 0) / 1000;
    const words = [...echoExcept(from, to), ...own].toSorted((a, b) => a.startMs - b.startMs);
    const [startMs, endMs] = [words[0]?.startMs ?? 0, words.at(-1)?.endMs ?? 0];
    const call = new Simulation({ agent: { ...agent, interruptions: false } }).at(0.1, ({ media }) =>
      media.emit({ type: 'echo_learnt', delayMs: DELAY * 1000 }),
    );
    soundDuring(call, from, to)
      .at(endMs / 1000 + 0.3, () =>
        call.emitTranscriberEvent({
          type: 'final',
          text: words.map(({ text }) => text).join(' '),
          startMs,
          endMs,
          words,
        }),
      )
      .runUntil(15);
    expect(call.dialogue).toContain(`user: ${said}`);
    expect(call.modelRequests.at(-1)?.messages.at(-1)?.content).toBe(said);
  });
});
