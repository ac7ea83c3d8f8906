import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

describe('a hang-up with another tool call in one model response', () => {
  it.each([
    ['an invalid call', { name: 'nope' }],
    ['a custom function', { name: 'other' }],
    ['digits', { name: 'press', arguments: { digits: '1' } }],
  ])('ends the call after the goodbye, and the model is not asked again: %s', (_, second) => {
    const bye = { type: 'hang_up' as const, name: 'bye', filler_sentence: 'Goodbye then.' };
    const press = { type: 'send_dtmf' as const, name: 'press' };
    const other = { type: 'custom_function' as const, name: 'other', url: 'https://example.com' };
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [bye, press, other] }] },
      model: [{ toolCalls: [{ name: 'bye' }, second] }, { text: 'There is more.' }],
    })
      .userSpeaks(0.5, 1.5, 'That was all.')
      .runUntil(20);
    expect(call.heardTexts).toEqual(['Goodbye then.']);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.endReason).toBe('agent_hangup');
  });
});
