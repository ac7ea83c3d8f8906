import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };
const KEYS = { type: 'send_dtmf' as const, name: 'keys' };
const agent = { states: [{ name: 'start', tools: [LOOKUP, KEYS] }] };
const sentences = (count: number) => Array.from({ length: count }, (_, nth) => `Point ${nth + 1}.`).join(' ');

describe('an answer without an end', () => {
  it.each([
    [200, 200, 0],
    [201, 200, 1],
  ])('of %s sentences is spoken as %s', (count, spoken, stopped) => {
    const call = new Simulation({ agent, model: [{ text: sentences(count) }], voice: { characterMs: 1 } })
      .userSpeaks(0.5, 1, 'Tell me all.')
      .runUntil(120);
    expect(call.openedVoices[0]?.texts).toHaveLength(spoken);
    expect(call.logs.filter((line) => line.includes('was stopped'))).toHaveLength(stopped);
    expect(call.handle.view().agentState).toBe('listening');
    expect(call.endReason).toBeNull();
  });

  it('of calls is taken up to the sixteenth', () => {
    const toolCalls = Array.from({ length: 17 }, () => ({ name: 'lookup' }));
    const call = new Simulation({ agent, model: [{ toolCalls }, { text: 'Done.' }] })
      .userSpeaks(0.5, 1, 'All of them.')
      .runUntil(10);
    expect(call.toolRuns).toHaveLength(16);
    const told = call.modelRequests[1]?.messages ?? [];
    expect(told.filter(({ role }) => role === 'tool')).toHaveLength(16);
    expect(call.heard.at(-1)?.text).toBe('Done.');
  });
});

describe('texts of the API', () => {
  it('wait for the floor, the last ten of them', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello, who is it that I am talking to?' } });
    call.at(0.5, () => {
      for (let nth = 1; nth <= 12; nth++)
        call.handle.post({ type: 'call.say', text: `Text ${nth}.`, interrupt: false });
    });
    call.runUntil(30);
    expect(call.heard.slice(1).map(({ text }) => text)).toEqual(
      Array.from({ length: 10 }, (_, nth) => `Text ${nth + 3}.`),
    );
  });
});

describe('keys', () => {
  it.each([
    ['1'.repeat(32), null],
    ['1'.repeat(33), 'Not done. «digits» may hold 32 keys at most.'],
    ['', 'Not done. «digits» must hold 0-9, *, #, w or a comma, and nothing else.'],
    ['12x', 'Not done. «digits» must hold 0-9, *, #, w or a comma, and nothing else.'],
  ])('«%s» of the model: %s', (digits, fault) => {
    const call = new Simulation({
      agent,
      model: [{ toolCalls: [{ name: 'keys', arguments: { digits } }] }, { text: 'Done.' }],
    })
      .userSpeaks(0.5, 1, 'Press them.')
      .runUntil(20);
    expect(call.media.sentDtmf).toEqual(fault === null ? [digits] : []);
    const result = call.modelRequests[1]?.messages.find(({ role }) => role === 'tool');
    if (fault === null) expect(result?.content).toBe('Sent.');
    else expect(result?.content).toContain(digits === '' ? '«digits»' : fault);
  });

  it('of the user are one entry of sixty-four at most', () => {
    const call = new Simulation({ agent: {} });
    for (let nth = 0; nth < 65; nth++) {
      call.at(1 + nth / 10, () => call.media.emit({ type: 'dtmf', digit: '7', durationMs: 80 }));
    }
    call.runUntil(7.45);
    expect(call.transcript.filter(({ role }) => role === 'dtmf').map(({ content }) => content)).toEqual([
      '7'.repeat(64),
    ]);
  });
});
