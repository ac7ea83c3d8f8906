import { describe, expect, it } from 'vitest';
import { type Says, type Scenario, Simulation } from '../simulation/simulate.ts';

const KEYS = { type: 'send_dtmf' as const, name: 'keys' };
const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };

function pressing(model: readonly Says[], given: Partial<Scenario> = {}): Simulation {
  const agent = { states: [{ name: 'start', tools: [KEYS, LOOKUP] }] };
  return new Simulation({ agent, model, ...given }).callerSpeaks(0.5, 1.5, 'Go on.');
}

const results = (call: Simulation) =>
  call.requests.at(-1)?.messages.flatMap((one) => (one.role === 'tool' ? [[one.toolCallId, one.content]] : []));

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
    const call = pressing([{ calls: [{ name: 'keys', arguments: { digits } }] }]).run(8);
    expect(call.media.dtmf).toEqual([sent]);
    const done = call.entries('tool_called').map(({ successful, atUs }) => [successful, atUs / 1000]);
    expect(done).toEqual([[true, doneMs]]);
  });

  it('wait for the end of a hold, and are told as sent after it', () => {
    const call = pressing([{ calls: [{ name: 'keys', arguments: { digits: '12' } }] }])
      .at(1.7, (one) => one.leg({ type: 'on_hold' }))
      .at(10, (one) => one.leg({ type: 'off_hold' }))
      .run(9.9);
    expect([call.media.dtmf, call.entries('tool_called')]).toEqual([[], []]);
    call.run(20);
    expect(call.media.dtmf).toEqual(['12']);
    expect(call.entries('tool_called').map(({ successful, atUs }) => [successful, atUs / 1000])).toEqual([
      [true, 10_400],
    ]);
  });

  it('and are cut off before that are told as such, while a function beside them runs on', () => {
    const call = pressing(
      [
        {
          text: 'I am pressing the key for the front desk now.',
          calls: [{ name: 'keys', arguments: { digits: '1' } }, { name: 'lookup' }],
        },
      ],
      { tools: { lookup: { after: 6, result: { content: 'ten' } } } },
    )
      .callerSpeaks(2.5, 4, 'No wait, do not press anything.')
      .run(6);
    expect(call.media.dtmf).toEqual([]);
    expect(call.requests).toHaveLength(1);
    call.run(12);
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
    calls: [{ name: 'keys', arguments: { digits: '1,1' } }, { name }],
  });
  const atMs = (call: Simulation, type: string) =>
    call.tape.filter(({ commands }) => commands.some((one) => one.type === type)).map(({ atUs }) => atUs / 1000);

  // Pressed at 1.8 s; they sound for 2.4 s.
  it.each([
    ['bye', 'call.hang_up'],
    ['desk', 'call.transfer'],
  ])('have sounded before it: %s', (name, command) => {
    const call = pressing([answer(name)], { agent: { states: [{ name: 'start', tools: [KEYS, HANG_UP, DESK] }] } });
    call.run(10);
    expect([atMs(call, 'playout.dtmf'), atMs(call, command)]).toEqual([[1_800], [4_200]]);
    expect(call.entries('tool_called').find(({ name: one }) => one === 'keys')?.successful).toBe(true);
  });

  it('sound on where the user interrupts meanwhile, and are told as pressed', () => {
    const call = pressing([answer('bye')], { agent: { states: [{ name: 'start', tools: [KEYS, HANG_UP] }] } })
      .callerSpeaks(2.2, 3.5, 'No wait, I have a question.')
      .run(12);
    expect(call.media.dtmf).toEqual(['1,1']);
    expect(results(call)).toEqual([
      ['c1_0', 'Sent.'],
      ['c1_1', 'Not done: the caller spoke before the goodbye was over: the call goes on.'],
    ]);
    expect(call.endedWith).toBeNull();
  });
});
