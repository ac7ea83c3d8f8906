import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { Reply } from '../../../engine/core/state/playout-slice.ts';
import { apologiseForEmptyResponse, resetEmptyResponses } from '../../../engine/failover/empty-response.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import { HANG_UP_AFTER_GOODBYE, issuedCommands, ruleStep } from '../simulation/rule-step.ts';

/** The model had nothing to say, after `inRow` turns in which it had nothing to say either. */
function unanswered(inRow: number, context: Partial<CallContext> = {}, reply: Partial<Reply> = {}): RuleStep {
  const { failover } = ruleStep().context;
  const step = ruleStep({ failover: { ...failover, consecutiveEmptyResponses: inRow } });
  startReply(step, null);
  changeReply(step, reply);
  step.change(context);
  apologiseForEmptyResponse(step);
  return step;
}

const said = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => (command.type === 'voice.speak' ? [command.text] : []));

describe('a turn that the model has no answer for', () => {
  it('is the third in a row that ends the call, and why stands with its end', () => {
    expect(said(unanswered(1))).toEqual(['I am sorry, I have lost the thread.', 'Could you say that again, please?']);
    const third = unanswered(2);
    expect(third.context.decidedEnd).toBe('llm_error');
    expect(third.context.failure?.detail).toContain('the model answered with nothing');
  });

  it('is no matter where the call ends, or is handed over, behind it', () => {
    const request = { destination: '+33123456789', mode: 'refer', headers: {}, ringTimeoutMs: 30_000 } as const;
    for (const inRow of [0, 2]) {
      const steps = [
        unanswered(inRow, { decidedEnd: 'voicemail_left' }),
        unanswered(inRow, {}, { followUp: HANG_UP_AFTER_GOODBYE }),
        unanswered(inRow, {}, { followUp: { type: 'transfer', toolCallId: 'go', name: 'go', request } }),
        unanswered(inRow, { reply: null }),
      ];
      for (const step of steps) {
        expect(issuedCommands(step)).toEqual([]);
        expect(step.context.failover.consecutiveEmptyResponses).toBe(inRow);
      }
    }
  });

  it('counts from the last answer in words', () => {
    const step = unanswered(1);
    resetEmptyResponses(step);
    expect(step.context.failover.consecutiveEmptyResponses).toBe(0);
  });
});
