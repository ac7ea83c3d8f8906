import { describe, expect, it } from 'vitest';
import type { ModelResponse, Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const KEYS = { type: 'send_dtmf' as const, name: 'keys' };
const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };

function pressing(model: readonly ModelResponse[], given: Partial<Scenario> = {}): Simulation {
  const agent = { states: [{ name: 'start', tools: [KEYS, LOOKUP] }] };
  return new Simulation({ agent, model, ...given }).userSpeaks(0.5, 1.5, 'Go on.');
}

const results = (call: Simulation) =>
  call.modelRequests.at(-1)?.messages.flatMap((one) => (one.role === 'tool' ? [[one.toolCallId, one.content]] : []));

describe('keys that the agent presses', () => {
  // Asked for at 1.8 s; each key takes 0.2 s, `w` half a second, a comma two.
  it.each([
    ['12', '12', 2_200],
    ['1 2-3', '123', 2_400],
    ['1w2', '1w2', 2_700],
    ['1W2', '1w2', 2_700],
    ['1,2', '1,2', 4_200],
    ['a#', 'A#', 2_200],
  ])('«%s» are sent as %s, and are done once they have sounded', (digits, sent, doneMs) => {
    const call = pressing([{ toolCalls: [{ name: 'keys', arguments: { digits } }] }]).runUntil(8);
    expect(call.media.sentDtmf).toEqual([sent]);
    const done = call.journalEntries('tool_called').map(({ successful, atUs }) => [successful, atUs / 1000]);
    expect(done).toEqual([[true, doneMs]]);
  });

  it('wait for the end of a hold, and are told as sent after it', () => {
    const call = pressing([{ toolCalls: [{ name: 'keys', arguments: { digits: '12' } }] }])
      .at(1.7, (one) => one.emitControlEvent({ type: 'on_hold' }))
      .at(10, (one) => one.emitControlEvent({ type: 'off_hold' }))
      .runUntil(9.9);
    expect([call.media.sentDtmf, call.journalEntries('tool_called')]).toEqual([[], []]);
    call.runUntil(20);
    expect(call.media.sentDtmf).toEqual(['12']);
    expect(call.journalEntries('tool_called').map(({ successful, atUs }) => [successful, atUs / 1000])).toEqual([
      [true, 10_400],
    ]);
  });

  it('and are cut off before that are told as such, while a function beside them runs on', () => {
    const call = pressing(
      [
        {
          text: 'I am pressing the key for the front desk now.',
          toolCalls: [{ name: 'keys', arguments: { digits: '1' } }, { name: 'lookup' }],
        },
      ],
      { tools: { lookup: { after: 6, result: { content: 'ten' } } } },
    )
      .userSpeaks(2.5, 4, 'No wait, do not press anything.')
      .runUntil(6);
    expect(call.media.sentDtmf).toEqual([]);
    expect(call.modelRequests).toHaveLength(1);
    call.runUntil(12);
    expect(results(call)).toEqual([
      ['c1_0', 'Not done: the caller spoke before the keys were pressed.'],
      ['c1_1', 'ten'],
    ]);
  });
});

describe('keys in one answer with the end of the call', () => {
  const HANG_UP = { type: 'hang_up' as const, name: 'bye' };
  const DESK = { type: 'transfer_call' as const, name: 'desk', destination: '+4930111111' };
  const answer = (name: string) => ({
    toolCalls: [{ name: 'keys', arguments: { digits: '1,1' } }, { name }],
  });
  const atMs = (call: Simulation, type: string) =>
    call.tape.filter(({ commands }) => commands.some((one) => one.type === type)).map(({ atUs }) => atUs / 1000);

  // Pressed at 1.8 s; they sound for 2.4 s.
  it.each([
    ['bye', 'call.hang_up'],
    ['desk', 'call.transfer'],
  ])('have sounded before it: %s', (name, command) => {
    const call = pressing([answer(name)], { agent: { states: [{ name: 'start', tools: [KEYS, HANG_UP, DESK] }] } });
    call.runUntil(10);
    expect([atMs(call, 'playout.dtmf'), atMs(call, command)]).toEqual([[1_800], [4_200]]);
    expect(call.journalEntries('tool_called').find(({ name: one }) => one === 'keys')?.successful).toBe(true);
  });

  it('sound on where the user interrupts meanwhile, and are told as pressed', () => {
    const call = pressing([answer('bye')], { agent: { states: [{ name: 'start', tools: [KEYS, HANG_UP] }] } })
      .userSpeaks(2.2, 3.5, 'No wait, I have a question.')
      .runUntil(12);
    expect(call.media.sentDtmf).toEqual(['1,1']);
    expect(results(call)).toEqual([
      ['c1_0', 'Sent.'],
      ['c1_1', 'Not done: the caller spoke before the goodbye was over: the call goes on.'],
    ]);
    expect(call.endReason).toBeNull();
  });
});
