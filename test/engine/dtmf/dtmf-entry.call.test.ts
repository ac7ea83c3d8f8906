import { describe, expect, it } from 'vitest';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const agent = { initial_message: 'Your number, please.', dtmf: { pause: 2 } };
const NUMBER = 'My number is the following.';

/** A key each 0.2 s. */
function press(call: Simulation, at: number, digits: string): Simulation {
  return [...digits].reduce(
    (one, digit, index) => one.at(at + index * 0.2, () => one.media.emit({ type: 'dtmf', digit, durationMs: 100 })),
    call,
  );
}

const said = (call: Simulation) =>
  call.modelRequests.map(({ messages }) =>
    messages.filter(({ role }) => role === 'user').map(({ content }) => content),
  );

const entries = (call: Simulation) =>
  call.transcript.flatMap((one) =>
    one.role === 'user' || one.role === 'dtmf' ? [[one.content, one.startUs / 1000, (one.endUs ?? 0) / 1000]] : [],
  );

describe('keys and words of one user', () => {
  it('are one turn where the keys are pressed before the words are answered', () => {
    const call = press(new Simulation({ agent }).userSpeaks(3, 4, 'My number is'), 4.1, '512#').runUntil(20);
    expect(said(call)).toEqual([['My number is [pressed the keys 512]']]);
    expect(call.heard.map(({ text }) => text)).toEqual([agent.initial_message, 'Yes.']);
    expectReplay(call);
  });

  it('are answered when the entry is over, not in the middle of it', () => {
    const call = press(new Simulation({ agent }).userSpeaks(3, 4, NUMBER), 4.1, '12345').runUntil(20);
    expect(said(call)).toEqual([[`${NUMBER} [pressed the keys 12345]`]]);
    // The last key at 4.9 s, and the pause.
    expect(call.heard[1]?.fromMs).toBe(7_200);
  });

  it('stand in the order in which they began', () => {
    const call = press(new Simulation({ agent }), 3, '512').userSpeaks(3.6, 4.6, 'That is it.').runUntil(20);
    expect(said(call)).toEqual([['[pressed the keys 512] That is it.']]);
    expect(entries(call)).toEqual([
      ['512', 3_000, 3_400],
      ['That is it.', 3_600, 4_600],
    ]);
  });

  it('are not answered while the user speaks', () => {
    const call = press(new Simulation({ agent }).userSpeaks(3, 7, NUMBER), 4, '12#')
      .interimAt(3.5, 3, 'My')
      .interimAt(5, 3, 'My number is')
      .runUntil(20);
    expect(said(call)).toEqual([[`${NUMBER} [pressed the keys 12]`]]);
    expect(call.heard[1]?.fromMs).toBeGreaterThan(7_000);
  });

  it('interrupt the agent together', () => {
    const call = new Simulation({ agent: { ...agent, initial_message: 'One two three four five six seven eight.' } });
    press(call.userSpeaks(1, 1.6, NUMBER).interimAt(1.3, 1, 'My number'), 1.2, '12#').runUntil(20);
    expect(call.heard[0]?.toMs).toBe(1_000);
    expect(said(call)).toEqual([[`${NUMBER} [pressed the keys 12]`]]);
  });

  it('do not wait for each other where the words are only noise', () => {
    const call = new Simulation({ agent }).at(2, (one) => one.media.emit({ type: 'speech_started', audioMs: 2_000 }));
    press(call, 3, '12#').runUntil(3.5);
    expect(said(call)).toEqual([['[pressed the keys 12]']]);
  });
});

it('keys before the initial message are answered by it, as words are, and the model is told them later', () => {
  const call = press(new Simulation({ agent: { ...agent, initial_message_delay: 5 } }), 1, '12#')
    .userSpeaks(5, 6, 'Did you get it?')
    .runUntil(20);
  expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([
    [agent.initial_message, 1_600],
    ['Yes.', 6_500],
  ]);
  expect(said(call)).toEqual([['[pressed the keys 12]', 'Did you get it?']]);
});

describe('keys that nobody answers any more', () => {
  it.each(['5', '5#'])('are kept where the user presses %s and hangs up', (digits) => {
    const variables = [{ name: 'rating', type: 'integer' as const, description: 'How content the caller is.' }];
    const call = press(new Simulation({ agent: { ...agent, interruptions: false, variables } }), 0.5, digits)
      .hangUpAt(0.9)
      .runUntil(10);
    expect(entries(call)).toEqual([['5', 500, 500]]);
    expect(call.extractionRequests[0]?.messages.at(-1)?.content).toContain('[pressed the keys 5]');
    expect(call.modelRequests).toEqual([]);
    expectReplay(call);
  });

  it('are not the agent’s where the user talks to somebody else over the call', () => {
    const desk = { type: 'transfer_call' as const, name: 'desk', destination: '+4930111111' };
    const call = new Simulation({
      agent: { ...agent, states: [{ name: 'start', tools: [desk] }] },
      model: [{ toolCalls: [{ name: 'desk' }] }],
    }).userSpeaks(3, 4, 'Somebody else, please.');
    call.at(5, () => call.emitControlEvent({ type: 'transfer_succeeded', bridged: true }));
    press(call, 8, '4711#').hangUpAt(12).runUntil(20);
    expect(call.endReason).toBe('transferred');
    expect(entries(call)).toEqual([['Somebody else, please.', 3_000, 4_000]]);
  });
});
