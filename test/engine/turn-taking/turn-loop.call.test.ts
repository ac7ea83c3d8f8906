import { describe, expect, it } from 'vitest';
import { CHARACTER_MS, FINAL_MS, RESPONSE_MS } from '../simulation/default-timing.ts';
import { Simulation } from '../simulation/simulation.ts';

const SPEECH_END_MS = 2_500;
const ANSWER = 'It is open today.';

describe('a turn', () => {
  it('is answered after the latencies of transcriber, model and voice, without further delay', () => {
    const call = new Simulation({
      agent: {},
      model: [{ after: 0.1, text: ANSWER }],
      voice: { after: 0.2 },
    })
      .userSpeaks(0.5, 2.5, 'Are you open today?')
      .runUntil(10);
    const fromMs = SPEECH_END_MS + RESPONSE_MS;
    expect(call.heard).toEqual([{ text: ANSWER, fromMs, toMs: fromMs + ANSWER.length * CHARACTER_MS }]);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.dialogue).toEqual(['user: Are you open today?', `agent: ${ANSWER}`]);
    expect(call.transcript.map(({ startUs }) => startUs / 1000)).toEqual([500, fromMs]);
    expect(call.turnTimes).toMatchObject([
      {
        endpointingMs: FINAL_MS,
        llmFirstTokenMs: 100,
        voiceFirstAudioMs: 200,
        engineMs: 0,
        responseMs: RESPONSE_MS,
      },
    ]);
    call.hangUpAt(11).runUntil(20);
    expect(call.endReason).toBe('caller_hangup');
    expect(call.journalEntries('ended')).toHaveLength(1);
    expect(call.clock.pending).toBe(0);
    expect(call.media.usesAfterClose).toBe(0);
  });
});
