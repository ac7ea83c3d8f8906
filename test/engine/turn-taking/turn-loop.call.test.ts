import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulate.ts';

describe('a turn', () => {
  it('is answered as soon as words, model and voice allow', () => {
    const call = new Simulation({
      agent: {},
      model: [{ after: 0.1, text: 'It is open today.' }],
      voice: { after: 0.2 },
    })
      .callerSpeaks(0.5, 2.5, 'Are you open today?')
      .run(10);
    expect(call.heard).toEqual([{ text: 'It is open today.', fromMs: 3_000, toMs: 3_850 }]);
    expect(call.requests).toHaveLength(1);
    expect(call.lines).toEqual(['user: Are you open today?', 'agent: It is open today.']);
    expect(call.transcript.map(({ startUs }) => startUs / 1000)).toEqual([500, 3_000]);
    expect(call.entries('turn_metrics').map(({ metrics }) => metrics)).toEqual([
      { turn: 1, endpointingMs: 200, llmFirstTokenMs: 100, voiceFirstAudioMs: 200, engineMs: 0, responseMs: 500 },
    ]);
    call.hangUp(11).run(20);
    expect(call.endedWith).toBe('caller_hangup');
    expect(call.entries('ended')).toHaveLength(1);
    expect(call.clock.pending).toBe(0);
    expect(call.media.misused).toBe(0);
  });
});
