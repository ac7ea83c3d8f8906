import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { Reply } from '../../../engine/core/state/playout-slice.ts';
import { apologiseForEmptyResponse, resetEmptyResponses } from '../../../engine/failover/empty-response.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import { HANG_UP_AFTER_GOODBYE, issuedCommands, ruleStep, spokenTexts } from '../simulation/rule-step.ts';

/** The step after an empty response of the model, which follows this many turns with empty responses. */
function emptyResponseStep(
  consecutiveEmptyResponses: number,
  contextChanges: Partial<CallContext> = {},
  replyChanges: Partial<Reply> = {},
): RuleStep {
  const { failover } = ruleStep().context;
  const step = ruleStep({ failover: { ...failover, consecutiveEmptyResponses } });
  startReply(step, null);
  changeReply(step, replyChanges);
  step.change(contextChanges);
  apologiseForEmptyResponse(step);
  return step;
}

describe('empty response', () => {
  it('leads to an apology; the third in a row ends the call with its reason', () => {
    expect(spokenTexts(emptyResponseStep(1))).toEqual([
      'I am sorry, I have lost the thread.',
      'Could you say that again, please?',
    ]);
    const third = emptyResponseStep(2);
    expect(third.context.decidedEnd).toBe('llm_error');
    expect(third.context.failure?.detail).toContain('the model answered with nothing');
  });

  it('changes nothing when the call ends or transfers after it', () => {
    const request = { destination: '+33123456789', mode: 'refer', headers: {}, ringTimeoutMs: 30_000 } as const;
    for (const count of [0, 2]) {
      const steps = [
        emptyResponseStep(count, { decidedEnd: 'voicemail_left' }),
        emptyResponseStep(count, {}, { followUp: HANG_UP_AFTER_GOODBYE }),
        emptyResponseStep(count, {}, { followUp: { type: 'transfer', toolCallId: 'go', name: 'go', request } }),
        emptyResponseStep(count, { reply: null }),
      ];
      for (const step of steps) {
        expect(issuedCommands(step)).toEqual([]);
        expect(step.context.failover.consecutiveEmptyResponses).toBe(count);
      }
    }
  });

  it('starts a new count after a response with speech', () => {
    const step = emptyResponseStep(1);
    resetEmptyResponses(step);
    expect(step.context.failover.consecutiveEmptyResponses).toBe(0);
  });
});
