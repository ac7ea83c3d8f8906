import { describe, expect, it } from 'vitest';
import { FINAL_MS, MODEL_MS } from '../simulation/default-timing.ts';
import type { ModelResponse, Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const SEND_DTMF = { type: 'send_dtmf' as const, name: 'keys' };
const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };

const USER_SPEECH_END_MS = 1_500;
const CALLED_MS = USER_SPEECH_END_MS + FINAL_MS + MODEL_MS;
const DIGIT_MS = 200;
/** `w`, and a comma. */
const SHORT_PAUSE_MS = 500;
const LONG_PAUSE_MS = 2_000;

/** The model responds at `CALLED_MS`. */
function callWithResponses(model: readonly ModelResponse[], overrides: Partial<Scenario> = {}): Simulation {
  const agent = { states: [{ name: 'start', tools: [SEND_DTMF, LOOKUP] }] };
  return new Simulation({ agent, model, ...overrides }).userSpeaks(0.5, USER_SPEECH_END_MS / 1000, 'Go on.');
}

/** `[tool call, content]` of each tool result in the newest request. */
const toolResults = (call: Simulation) =>
  call.modelRequests
    .at(-1)
    ?.messages.flatMap((message) => (message.role === 'tool' ? [[message.toolCallId, message.content]] : []));

describe('DTMF digits that the agent sends', () => {
  it.each([
    ['12', '12', 2 * DIGIT_MS],
    ['1 2-3', '123', 3 * DIGIT_MS],
    ['1w2', '1w2', 2 * DIGIT_MS + SHORT_PAUSE_MS],
    ['1W2', '1w2', 2 * DIGIT_MS + SHORT_PAUSE_MS],
    ['1,2', '1,2', 2 * DIGIT_MS + LONG_PAUSE_MS],
    ['a#', 'A#', 2 * DIGIT_MS],
  ])('send «%s» as %s; the tool call ends after the last tone', (digits, sent, durationMs) => {
    const call = callWithResponses([{ toolCalls: [{ name: 'keys', arguments: { digits } }] }]).runUntil(8);
    expect(call.media.sentDtmf).toEqual([sent]);
    const results = call.journalEntries('tool_called').map(({ successful, atUs }) => [successful, atUs / 1000]);
    expect(results).toEqual([[true, CALLED_MS + durationMs]]);
  });

  it('wait until the user takes the call off hold', () => {
    const call = callWithResponses([{ toolCalls: [{ name: 'keys', arguments: { digits: '12' } }] }])
      .at(1.7, (simulation) => simulation.emitControlEvent({ type: 'on_hold' }))
      .at(10, (simulation) => simulation.emitControlEvent({ type: 'off_hold' }))
      .runUntil(9.9);
    expect([call.media.sentDtmf, call.journalEntries('tool_called')]).toEqual([[], []]);
    call.runUntil(20);
    expect(call.media.sentDtmf).toEqual(['12']);
    expect(call.journalEntries('tool_called').map(({ successful, atUs }) => [successful, atUs / 1000])).toEqual([
      [true, 10_000 + 2 * DIGIT_MS],
    ]);
  });

  it('are sent after the speech before them, although another tool call ends first', () => {
    const call = callWithResponses(
      [
        {
          text: 'I am pressing the key for the front desk now.',
          toolCalls: [{ name: 'keys', arguments: { digits: '1' } }, { name: 'lookup' }],
        },
      ],
      { tools: { lookup: { after: 0.5, result: { content: 'ten' } } } },
    ).runUntil(8);
    expect(call.media.sentDtmf).toEqual(['1']);
    expect(toolResults(call)).toEqual([
      ['c1_0', 'Sent.'],
      ['c1_1', 'ten'],
    ]);
  });

  it('stay unsent after an interruption, with a failed tool result, while another tool call runs on', () => {
    const call = callWithResponses(
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
    const dropped = ['c1_0', 'Not done: the caller spoke before the keys were pressed.'];
    expect(toolResults(call)).toEqual([dropped, ['c1_1', expect.stringContaining('Still running.')]]);
    call.runUntil(12);
    expect(call.modelRequests.at(-1)?.messages.at(-1)?.content).toContain('The function lookup has answered: "ten"');
  });
});

describe('DTMF digits in the response that also ends or transfers the call', () => {
  const HANG_UP = { type: 'hang_up' as const, name: 'bye' };
  const DESK = { type: 'transfer_call' as const, name: 'desk', destination: '+4930111111' };
  const response = (name: string) => ({
    toolCalls: [{ name: 'keys', arguments: { digits: '1,1' } }, { name }],
  });
  it.each([
    ['bye', 'call.hang_up'],
    ['desk', 'call.transfer'],
  ] as const)('end before the tool call «%s» takes effect', (name, command) => {
    const call = callWithResponses([response(name)], {
      agent: { states: [{ name: 'start', tools: [SEND_DTMF, HANG_UP, DESK] }] },
    });
    call.runUntil(10);
    expect(call.commandTimesMs('playout.dtmf')).toEqual([CALLED_MS]);
    expect(call.commandTimesMs(command)).toEqual([CALLED_MS + 2 * DIGIT_MS + LONG_PAUSE_MS]);
    expect(call.journalEntries('tool_called').find((entry) => entry.name === 'keys')?.successful).toBe(true);
  });

  it('play to their end when the user interrupts, with a successful tool result', () => {
    const call = callWithResponses([response('bye')], {
      agent: { states: [{ name: 'start', tools: [SEND_DTMF, HANG_UP] }] },
    })
      .userSpeaks(2.2, 3.5, 'No wait, I have a question.')
      .runUntil(12);
    expect(call.media.sentDtmf).toEqual(['1,1']);
    expect(toolResults(call)).toEqual([
      ['c1_0', expect.stringContaining('Still running.')],
      ['c1_1', 'Not done: the caller spoke before the goodbye was over: the call goes on.'],
    ]);
    expect(call.modelRequests.at(-1)?.messages.at(-1)?.content).toContain('The function keys has answered: "Sent."');
    expect(call.endReason).toBeNull();
  });
});
