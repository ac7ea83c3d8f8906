import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

describe('a turn', () => {
  it('is answered after the latencies of transcriber, model and voice, without further delay', () => {
    const call = new Simulation({
      agent: {},
      model: [{ after: 0.1, text: 'It is open today.' }],
      voice: { after: 0.2 },
    })
      .userSpeaks(0.5, 2.5, 'Are you open today?')
      .runUntil(10);
    expect(call.heard).toEqual([{ text: 'It is open today.', fromMs: 3_000, toMs: 3_850 }]);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.dialogue).toEqual(['user: Are you open today?', 'agent: It is open today.']);
    expect(call.transcript.map(({ startUs }) => startUs / 1000)).toEqual([500, 3_000]);
    expect(call.journalEntries('turn_metrics').map(({ metrics }) => metrics)).toEqual([
      { turn: 1, endpointingMs: 200, llmFirstTokenMs: 100, voiceFirstAudioMs: 200, engineMs: 0, responseMs: 500 },
    ]);
    call.hangUpAt(11).runUntil(20);
    expect(call.endReason).toBe('caller_hangup');
    expect(call.journalEntries('ended')).toHaveLength(1);
    expect(call.clock.pending).toBe(0);
    expect(call.media.usesAfterClose).toBe(0);
  });
});
