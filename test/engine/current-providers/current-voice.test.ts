import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { Segment } from '../../../engine/core/state/playout-slice.ts';
import { measureVoicePace } from '../../../engine/current-providers/current-voice.ts';
import { startReply } from '../../../engine/playout/reply.ts';
import { ruleStep } from '../simulation/rule-step.ts';

const TEXT = 'One moment, please.';
const SEGMENT: Segment = {
  number: 1,
  item: 1,
  text: TEXT,
  interruptible: true,
  requestedUs: 0,
  voiceStartedUs: 0,
  durationMs: 50 * TEXT.length,
  words: [],
  playout: null,
  ended: true,
};
const { failover: FAILOVER } = ruleStep().context;

/** The failover after this segment of the current reply, whose number is 1. */
function voiceAfter(segment: Partial<Segment>, failover: Partial<CallContext['failover']> = {}) {
  const step = ruleStep({ failover: { ...FAILOVER, ...failover } });
  startReply(step, null);
  measureVoicePace(step, { ...SEGMENT, ...segment });
  return { failover: step.context.failover, reply: step.context.reply?.number ?? 0 };
}

describe('a whole segment of the voice', () => {
  const FAILED = { ...FAILOVER.voice, retriesUs: [1], failedSinceUs: 1, delays: 2, characterMs: 70 };

  it('gives its time per character, and ends the failures of the voice', () => {
    const voice = { retriesUs: [], failedSinceUs: null, delays: 0, characterMs: 50 };
    expect(voiceAfter({}, { voice: FAILED }).failover.voice).toMatchObject(voice);
  });

  it('is no measure if its text is short', () => {
    expect(voiceAfter({ text: 'Fine.', durationMs: 900 }, { voice: FAILED }).failover.voice).toMatchObject({
      failedSinceUs: null,
      characterMs: 70,
    });
  });

  it('proves nothing without sound', () => {
    for (const durationMs of [null, 0])
      expect(voiceAfter({ durationMs }, { voice: FAILED }).failover.voice).toEqual(FAILED);
  });
});

describe('the failed turns of a call', () => {
  const failedTurns = (reason: 'voice_error' | 'llm_error', reply: number) => ({ reason, count: 1, reply, atUs: 0 });
  const current = voiceAfter({}).reply;

  it('are over once another reply has sound', () => {
    expect(voiceAfter({}, { failedTurns: failedTurns('voice_error', current - 1) }).failover.failedTurns).toBeNull();
  });

  it('go on during the apology of the failed reply, and when it was not the voice that failed', () => {
    for (const failed of [failedTurns('voice_error', current), failedTurns('llm_error', current - 1)])
      expect(voiceAfter({}, { failedTurns: failed }).failover.failedTurns).toEqual(failed);
  });
});
