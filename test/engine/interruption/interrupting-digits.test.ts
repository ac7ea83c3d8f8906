import { describe, expect, it } from 'vitest';
import type { Interruption } from '../../../engine/core/state/interruption-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { typedEntryInterrupts } from '../../../engine/interruption/interrupting-digits.ts';
import { startReply } from '../../../engine/playout/reply.ts';
import { ruleStep } from '../simulation/rule-step.ts';
import { speechOf } from '../simulation/speech.ts';

const INTERRUPTION: Interruption = {
  status: 'tentative',
  startedUs: 900_000,
  stoppedUs: null,
  lastedUntilUs: null,
  wordsBefore: 0,
  pausedUntilUs: 1_500_000,
  playedMs: null,
};

describe('digits while the agent speaks', () => {
  const interrupts = (status: Interruption['status'] | null, words: string, isInterruptible = true) => {
    const entries = [{ type: 'digits' as const, digits: '1', startUs: 0, endUs: 0, activityEndedUs: null }];
    const userTurn = { ...SILENT_USER, speaking: true, startedUs: 900_000, speech: speechOf({ finals: [words] }) };
    const step = ruleStep({ dtmf: { openEntry: null, entries }, userTurn }, 1_000);
    startReply(step, null, isInterruptible);
    step.change({ interruption: status === null ? null : { ...INTERRUPTION, status } });
    return typedEntryInterrupts(step.context);
  };

  it('interrupt it, unless words of the user do', () => {
    expect(interrupts(null, '')).toBe(true);
    expect(interrupts('tentative', '')).toBe(true);
    expect(interrupts('rejected', 'one moment')).toBe(true);
    expect(interrupts('tentative', 'one moment')).toBe(false);
    expect(interrupts('confirmed', 'one moment')).toBe(false);
  });

  it('do not interrupt a message that is heard to its end', () => {
    expect(interrupts(null, '', false)).toBe(false);
  });
});
