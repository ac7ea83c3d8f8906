import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };
const SEND_DTMF = { type: 'send_dtmf' as const, name: 'keys' };
/** Bounds of the engine. */
const SENTENCES_MAX = 200;
const TOOL_CALLS_MAX = 16;
const QUEUED_TEXTS_MAX = 10;
const SENT_DIGITS_MAX = 32;
const ENTRY_DIGITS_MAX = 64;
const agent = { states: [{ name: 'start', tools: [LOOKUP, SEND_DTMF] }] };
const sentences = (count: number) => Array.from({ length: count }, (_, index) => `Point ${index + 1}.`).join(' ');

describe('response without an end', () => {
  it.each([
    [SENTENCES_MAX, SENTENCES_MAX, 0],
    [SENTENCES_MAX + 1, SENTENCES_MAX, 1],
  ])('of %i sentences speaks only %i', (count, spokenCount, warningCount) => {
    const call = new Simulation({ agent, model: [{ text: sentences(count) }], voice: { characterMs: 1 } })
      .userSpeaks(0.5, 1, 'Tell me all.')
      .runUntil(120);
    expect(call.openedVoices[0]?.texts).toHaveLength(spokenCount);
    expect(call.noticesOf('segment_limit_reached')).toHaveLength(warningCount);
    expect(call.handle.view().agentState).toBe('listening');
    expect(call.endReason).toBeNull();
  });

  it('carries out tool calls up to their bound', () => {
    const toolCalls = Array.from({ length: TOOL_CALLS_MAX + 1 }, () => ({ name: 'lookup' }));
    const call = new Simulation({ agent, model: [{ toolCalls }, { text: 'Done.' }] })
      .userSpeaks(0.5, 1, 'All of them.')
      .runUntil(10);
    expect(call.toolRuns).toHaveLength(TOOL_CALLS_MAX);
    const messages = call.modelRequests[1]?.messages ?? [];
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(TOOL_CALLS_MAX);
    expect(call.heard.at(-1)?.text).toBe('Done.');
  });
});

describe('queued speech', () => {
  it('keeps the newest say requests until the agent has finished speaking', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello, who is it that I am talking to?' } });
    call.at(0.5, () => {
      for (let index = 1; index <= QUEUED_TEXTS_MAX + 2; index++) {
        call.handle.post({ type: 'call.say', text: `Text ${index}.`, interrupt: false });
      }
    });
    call.runUntil(30);
    expect(call.heardTexts.slice(1)).toEqual(
      Array.from({ length: QUEUED_TEXTS_MAX }, (_, index) => `Text ${index + 3}.`),
    );
  });
});

describe('DTMF digits', () => {
  it.each([
    ['1'.repeat(SENT_DIGITS_MAX), null],
    ['1'.repeat(SENT_DIGITS_MAX + 1), 'Not done. «digits» may hold 32 keys at most.'],
    ['', 'Not done. «digits» must hold 0-9, *, #, w or a comma, and nothing else.'],
    ['12x', 'Not done. «digits» must hold 0-9, *, #, w or a comma, and nothing else.'],
  ])('«%s» from the model are sent, or the model gets an error: %s', (digits, error) => {
    const call = new Simulation({
      agent,
      model: [{ toolCalls: [{ name: 'keys', arguments: { digits } }] }, { text: 'Done.' }],
    })
      .userSpeaks(0.5, 1, 'Press them.')
      .runUntil(20);
    expect(call.media.sentDtmf).toEqual(error === null ? [digits] : []);
    const result = call.modelRequests[1]?.messages.find(({ role }) => role === 'tool');
    if (error === null) expect(result?.content).toBe('Sent.');
    else expect(result?.content).toContain(digits === '' ? '«digits»' : error);
  });

  it('form one entry of the user up to its longest length', () => {
    const call = new Simulation({ agent: {} }).userPresses(1, '7'.repeat(ENTRY_DIGITS_MAX + 1), 0.1).runUntil(7.45);
    expect(call.transcript.filter(({ role }) => role === 'dtmf').map(({ content }) => content)).toEqual([
      '7'.repeat(ENTRY_DIGITS_MAX),
    ]);
  });
});
