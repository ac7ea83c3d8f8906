import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };
const SEND_DTMF = { type: 'send_dtmf' as const, name: 'keys' };
/** Bounds of the engine. */
const MAX_SENTENCES = 200;
const MAX_TOOL_CALLS = 16;
const MAX_QUEUED_TEXTS = 10;
const MAX_SENT_DIGITS = 32;
const MAX_ENTRY_DIGITS = 64;
const agent = { states: [{ name: 'start', tools: [LOOKUP, SEND_DTMF] }] };
const sentences = (count: number) => Array.from({ length: count }, (_, index) => `Point ${index + 1}.`).join(' ');

describe('response without an end', () => {
  it.each([
    [MAX_SENTENCES, MAX_SENTENCES, 0],
    [MAX_SENTENCES + 1, MAX_SENTENCES, 1],
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
    const toolCalls = Array.from({ length: MAX_TOOL_CALLS + 1 }, () => ({ name: 'lookup' }));
    const call = new Simulation({ agent, model: [{ toolCalls }, { text: 'Done.' }] })
      .userSpeaks(0.5, 1, 'All of them.')
      .runUntil(10);
    expect(call.toolRuns).toHaveLength(MAX_TOOL_CALLS);
    const messages = call.modelRequests[1]?.messages ?? [];
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(MAX_TOOL_CALLS);
    expect(call.heard.at(-1)?.text).toBe('Done.');
  });
});

describe('queued speech', () => {
  it('keeps the newest say requests until the agent has finished speaking', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello, who is it that I am talking to?' } });
    call.at(0.5, () => {
      for (let index = 1; index <= MAX_QUEUED_TEXTS + 2; index++) {
        call.handle.post({ type: 'call.say', text: `Text ${index}.`, interrupt: false });
      }
    });
    call.runUntil(30);
    expect(call.heardTexts.slice(1)).toEqual(
      Array.from({ length: MAX_QUEUED_TEXTS }, (_, index) => `Text ${index + 3}.`),
    );
  });
});

describe('DTMF digits', () => {
  it.each([
    ['1'.repeat(MAX_SENT_DIGITS), null],
    ['1'.repeat(MAX_SENT_DIGITS + 1), 'Not done. «digits» may hold 32 keys at most.'],
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
    const call = new Simulation({ agent: {} }).userPresses(1, '7'.repeat(MAX_ENTRY_DIGITS + 1), 0.1).runUntil(7.45);
    expect(call.transcript.filter(({ role }) => role === 'dtmf').map(({ content }) => content)).toEqual([
      '7'.repeat(MAX_ENTRY_DIGITS),
    ]);
  });
});
