import { describe, expect, it } from 'vitest';
import { rejectionReasons } from '../properties/strict-provider.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { ModelResponse } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const FATAL_FAILURE = {
  type: 'failed',
  error: { provider: 'test', code: 'closed', message: '', retryable: false },
} as const;
const MISHEARD = 'I want a table';
const SAID = 'I want no table';

/** The model is asked with `MISHEARD` at 2.0 s, and answers from 2.3 s on. */
function misheardCall(model: readonly ModelResponse[], finalAtMs: number): Simulation {
  return new Simulation({
    agent: { states: [{ name: 'start', tools: [{ type: 'hang_up', name: 'bye' }] }] },
    model,
  })
    .at(0.5, (call) => call.media.emit({ type: 'speech_started', audioMs: 500 }))
    .interimAt(1.45, 0.5, MISHEARD)
    .at(1.5, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 1_500 }))
    .at(finalAtMs / 1000, (call) => call.emitFinal(0.5, 1.5, SAID));
}

describe('a correction while the model is asked about the next turn', () => {
  const NEXT_TURN = 'By the window.';
  const nextTurn = (call: Simulation) =>
    call
      .at(2.6, () => call.media.emit({ type: 'speech_started', audioMs: 2_600 }))
      .interimAt(3.18, 2.6, 'By the window')
      .at(3.2, () => call.media.emit({ type: 'speech_stopped', audioMs: 3_200 }))
      .at(4, () => call.emitFinal(2.6, 3.2, NEXT_TURN))
      .runUntil(20);
  const MODEL = [{ text: 'Yes.' }, { text: 'Fine then.', after: 0.8 }, { text: 'Corrected.' }];

  it('asks again about that turn, with the words as they are known now', () => {
    const call = nextTurn(misheardCall(MODEL, 3_900));
    expect(call.dialogue).toEqual([`user: ${SAID}`, 'agent: Yes.', `user: ${NEXT_TURN}`, 'agent: Corrected.']);
    expect(call.modelRequests.at(-1)?.messages.slice(1)).toEqual([
      { role: 'user', content: SAID },
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: 'By the window' },
    ]);
    expect(call.modelRequests).toHaveLength(3);
    expectReplay(call);
  });

  it('counts the answer in the record of that turn', () => {
    const call = nextTurn(misheardCall(MODEL, 3_900));
    expect(call.turns.map(({ user, answerHeardMs }) => [user?.sequence, answerHeardMs !== null])).toEqual([
      [1, true],
      [3, true],
    ]);
  });

  it('asks again also while the answer waits for a sound of the user', () => {
    const call = misheardCall(MODEL, 3_900);
    call.at(3.8, () => call.media.emit({ type: 'speech_started', audioMs: 3_800 }));
    call.at(4.2, () => call.media.emit({ type: 'speech_stopped', audioMs: 4_200 }));
    expect(nextTurn(call).heardTexts).toEqual(['Yes.', 'Corrected.']);
  });
});

describe('a correction once the end of the call is decided', () => {
  it('leaves the goodbye whole', () => {
    const goodbye = { text: 'Goodbye then. It was a pleasure.', toolCalls: [{ name: 'bye' }] };
    const call = misheardCall([goodbye, { text: 'Never said.' }], 2_600)
      .at(2.5, (simulation) => simulation.emitTranscriberEvent(FATAL_FAILURE))
      .runUntil(30);
    expect(call.heardTexts).toEqual(['Goodbye then.', 'It was a pleasure.']);
    expect(call.endReason).toBe('agent_hangup');
  });
});

describe('the note of a correction', () => {
  const speaks = (call: Simulation, from: number, to: number, interim: string, final: string, finalAt: number) =>
    call
      .at(from, ({ media }) => media.emit({ type: 'speech_started', audioMs: from * 1000 }))
      .interimAt(to - 0.05, from, interim)
      .at(to, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: to * 1000 }))
      .at(finalAt, () => call.emitFinal(from, to, final));
  const twoTurns = (model: readonly ModelResponse[], finals: readonly [string, string]) => {
    const call = new Simulation({
      agent: {},
      model,
      parameters: { transcriberTraits: { detectsTurns: false, finalP99Ms: 300 } },
    });
    speaks(call, 0.5, 1.5, 'I want a table for two', finals[0], 8.6);
    speaks(call, 5.2, 6.2, 'on Tuesday it should be', finals[1], 8.9);
    return call.runUntil(20);
  };
  const noteOf = (call: Simulation) => call.modelRequests.at(-1)?.messages.at(-1)?.content;

  it('names the answer that was wrong, although others followed it', () => {
    const call = twoTurns(
      [{ text: 'A table for two it is.' }, { text: 'Tuesday it is.' }, { text: 'Ten it is.' }],
      ['I want a table for ten', 'on Tuesday it should be'],
    );
    expect(noteOf(call)).toContain(
      'Before you answered "A table for two it is.", the caller said: I want a table for ten',
    );
    expect(noteOf(call)).not.toContain('Tuesday');
    expect(call.modelRequests).toHaveLength(3);
    expectReplay(call);
  });

  it('names each wrong answer, in their order', () => {
    const call = twoTurns(
      [
        { text: 'A table for two it is.' },
        { text: 'On Tuesday it is, near the window as you like it to be for you.' },
        { text: 'Corrected.' },
      ],
      ['I want a table for ten', 'on Thursday it should be'],
    );
    const note = String(noteOf(call));
    expect(note).toContain('Before you answered "A table for two it is.", the caller said: I want a table for ten');
    expect(note).toContain('Before you answered "On Tuesday it is,');
    expect(note.indexOf('for ten')).toBeLessThan(note.indexOf('on Thursday it should be'));
    expect(call.modelRequests).toHaveLength(3);
    expectReplay(call);
  });
});

describe('a correction of words that a tool was called with', () => {
  const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com', timeout: 60 };
  const AGENT = { states: [{ name: 'start', tools: [LOOKUP] }] };
  const WRONG_CALL = { toolCalls: [{ name: 'lookup', arguments: '{"day":"Monday"}' }] };
  const RIGHT_CALL = { toolCalls: [{ name: 'lookup', arguments: '{"day":"Sunday"}' }] };
  const corrected = (model: readonly ModelResponse[]) =>
    new Simulation({
      agent: AGENT,
      model,
      tools: { lookup: { after: 4, result: { content: '{"free":true}' } } },
    })
      .at(0.5, (call) => call.media.emit({ type: 'speech_started', audioMs: 500 }))
      .interimAt(1.45, 0.5, 'Is there a table on Monday')
      .at(1.5, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 1_500 }))
      .at(4, (call) => call.emitFinal(0.5, 1.5, 'Is there a table on Sunday?'))
      .runUntil(20);

  it.each([
    ['in silence', WRONG_CALL],
    ['behind its announcement', { text: 'One moment.', ...WRONG_CALL }],
  ])('asks for the call with the right words, if the tool runs %s', (_case, call) => {
    const simulation = corrected([call, RIGHT_CALL, { text: 'Sunday is free.' }]);
    const note = simulation.modelRequests[1]?.messages.at(-1);
    expect(note).toMatchObject({ role: 'user' });
    expect(note?.content).toMatch(/caller said: Is there a table on Sunday\? .* call them again\./);
    expect(simulation.journalEntries('tool_called')).toHaveLength(2);
    expect(simulation.modelRequests[2]?.messages.at(-1)?.role).toBe('tool');
    expect(simulation.heardTexts.at(-1)).toBe('Sunday is free.');
    expect(simulation.modelRequests.flatMap(rejectionReasons)).toEqual([]);
    expectReplay(simulation);
  });
});
