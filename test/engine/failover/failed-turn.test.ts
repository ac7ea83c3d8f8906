import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import { DETECTION_OFF } from '../../../engine/core/state/answering-machine-slice.ts';
import { NO_FAILURES } from '../../../engine/core/state/failover-slice.ts';
import { failTurn, resetFailedTurns } from '../../../engine/failover/failed-turn.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import { agentWith } from '../simulation/agent-with.ts';
import { HANG_UP_AFTER_GOODBYE, issuedCommands, notices, ruleStep, spokenTexts } from '../simulation/rule-step.ts';

const REPEAT_REQUEST = ['I am sorry, I have lost the thread.', 'Could you say that again, please?'];
const NOW_MS = 9_000;

/** The step in which no model answers. */
function failedStep(context: Partial<CallContext> = {}, isNoticed = true, hasReply = false): RuleStep {
  const step = ruleStep(context, NOW_MS);
  if (hasReply) startReply(step, null);
  failTurn(step, 'llm_error', 'test unavailable: no', isNoticed);
  return step;
}
const afterFailureOf = (reason: 'llm_error' | 'transcriber_error'): Partial<CallContext> => ({
  failover: { ...NO_FAILURES, failedTurns: { reason, count: 1, reply: 1, atUs: 0 } },
});

describe('a failed turn', () => {
  it('is announced, logged and counted', () => {
    const step = failedStep();
    expect(spokenTexts(step)).toEqual(REPEAT_REQUEST);
    expect(notices(step)).toEqual([{ type: 'turn_failed', reason: 'llm_error', detail: 'test unavailable: no' }]);
    expect(step.context.failover.failedTurns).toEqual({
      reason: 'llm_error',
      count: 1,
      reply: step.context.reply?.number,
      atUs: NOW_MS * 1000,
    });
    expect(step.context.decidedEnd).toBeNull();
  });

  it('changes nothing once the end of the call is decided or has come', () => {
    for (const context of [{ decidedEnd: 'agent_hangup' }, { endReason: 'caller_hangup' }] as const) {
      const step = failedStep(context);
      expect(step.commands).toEqual([]);
      expect(step.context).toMatchObject({ ...context, failure: null, failover: NO_FAILURES });
    }
  });

  it('fails the call at the second time in a row for one reason', () => {
    expect(failedStep(afterFailureOf('llm_error')).context.decidedEnd).toBe('llm_error');
    const other = failedStep(afterFailureOf('transcriber_error')).context;
    expect(other.decidedEnd).toBeNull();
    expect(other.failover.failedTurns).toMatchObject({ reason: 'llm_error', count: 1 });
  });

  it('fails the call at once if the call was to end or a voicemail listens', () => {
    const step = ruleStep();
    startReply(step, null);
    changeReply(step, { followUp: HANG_UP_AFTER_GOODBYE });
    failTurn(step, 'llm_error', 'no');
    expect(step.context.decidedEnd).toBe('llm_error');
    const voicemail = failedStep({ answeringMachine: { ...DETECTION_OFF, type: 'voicemail' } });
    expect(voicemail.context.decidedEnd).toBe('llm_error');
  });

  it('is silent, and counts, if no user waits for an answer or a menu listens', () => {
    const ivr = { answeringMachine: { ...DETECTION_OFF, type: 'ivr' as const } };
    for (const step of [failedStep({}, false), failedStep(ivr), failedStep({}, false, true)]) {
      expect(issuedCommands(step)).toEqual([]);
      expect(step.context.failover.failedTurns).toMatchObject({ count: 1, reply: step.context.reply?.number ?? 0 });
    }
    expect(failedStep(ivr).context.reply).toBeNull();
  });

  it('is announced in the agent’s words, in the language’s if those lack a value, and not at all if they are empty', () => {
    const announcement = (message: string) =>
      spokenTexts(failedStep({ agent: agentWith({ on_provider_failure: { message } }) }));
    expect(announcement('Say that again.')).toEqual(['Say that again.']);
    expect(announcement('{{unknown}}')).toEqual(REPEAT_REQUEST);
    expect(announcement('')).toEqual([]);
  });

  it('is reset only by a success of the same kind', () => {
    const failedTurnsAfter = (reason: 'llm_error' | 'transcriber_error') => {
      const step = ruleStep(afterFailureOf('llm_error'));
      resetFailedTurns(step, reason);
      return step.context.failover.failedTurns;
    };
    expect(failedTurnsAfter('llm_error')).toBeNull();
    expect(failedTurnsAfter('transcriber_error')).toMatchObject({ count: 1 });
  });
});
