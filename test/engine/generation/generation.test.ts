import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { RunningTool } from '../../../engine/core/state/tools-slice.ts';
import { onModelEvent, onModelTimer, startGeneration } from '../../../engine/generation/generation.ts';
import { changeReply, requestGeneration, startReply } from '../../../engine/playout/reply.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { addUserText, agentItem } from '../../../engine/transcript/history.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { issuedCommands, ruleStep, spokenTexts } from '../simulation/rule-step.ts';
import type { Scenario } from '../simulation/scenario.ts';

const FALLBACK = { fallbacks: { llm: [{ model: 'second' }] } };
const LOOKUP: RunningTool = { toolCallId: 'a', name: 'lookup', startedUs: 0, reply: 1, item: 1 };
const FIRST_TOKEN = { type: 'model.first_token', generation: 1 } as const;
const SENTENCE = { type: 'model.sentence', generation: 1, text: 'We have a table.' } as const;
const TOOL_CALL = {
  type: 'model.tool_call',
  generation: 1,
  call: { id: 'call_1', name: 'lookup', arguments: '{}' },
} as const;
const DONE = {
  type: 'model.done',
  generation: 1,
  finish: 'stop',
  usage: { inputTokens: 10, outputTokens: 5 },
} as const;
const failureEvent = (retryable: boolean, retryAfterMs = 0) =>
  ({
    type: 'model.failed',
    generation: 1,
    error: { provider: 'test', code: 'malformed', message: 'no', retryable, retryAfterMs },
  }) as const;
const FAILED = failureEvent(true);
const TIMEOUT: CallEvent = { type: 'timer', timer: 'generation' };
/** As {@link timerCommands} lists them. */
const START_TIMEOUT = 'generation 10000';
/** The last sound was at 0, and the model is asked at 1 s. */
const START_FILLER_TIMER = 'filler 2000';
/** The same for a retry at 2 s. */
const RESTART_FILLER_TIMER = 'filler 1000';
const CANCEL = { type: 'model.cancel', generation: 1 };

/** The step at 1 s in which the user's turn is committed and its reply begins. */
function replyStep(agent: Scenario['agent'] = {}, contextChanges: Partial<CallContext> = {}): RuleStep {
  const step = ruleStep({ ...initialContext(agentWith(agent), CALL_PARAMETERS), ...contextChanges }, 1_000);
  addUserText(step, 'Hello?');
  startReply(step, null);
  return step;
}

/** The step that also requests generation 1. */
function requestStep(agent: Scenario['agent'] = {}): RuleStep {
  const step = replyStep(agent);
  requestGeneration(step);
  startGeneration(step);
  return step;
}

/** The last step, after these events at 2 s. */
function stepAfter(step: RuleStep, ...events: readonly CallEvent[]): RuleStep {
  return events.reduce((previous, event) => {
    const next = ruleStep(previous.context, 2_000, event);
    if (event.type === 'timer') onModelTimer(next);
    else onModelEvent(next);
    return next;
  }, step);
}

/** The model of each request. */
const requestedModels = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => (command.type === 'model.request' ? [command.request.model] : []));
/** Started timers with their delays, and stopped timers. */
const timerCommands = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => {
    if (command.type === 'timer.start') return [`${command.timer} ${command.delayMs}`];
    return command.type === 'timer.stop' ? [`${command.timer} stops`] : [];
  });

describe('generation', () => {
  it('starts when the reply has requested it and none of its tool calls runs', () => {
    const requested = requestStep();
    expect(requestedModels(requested)).toEqual(['model']);
    expect(timerCommands(requested)).toEqual([START_TIMEOUT, START_FILLER_TIMER]);
    const withoutRequest = replyStep();
    startGeneration(withoutRequest);
    const duringToolCall = replyStep({}, { runningTools: [LOOKUP] });
    requestGeneration(duringToolCall);
    startGeneration(duringToolCall);
    const withoutReply = ruleStep();
    startGeneration(withoutReply);
    for (const step of [withoutRequest, duringToolCall, withoutReply]) expect(issuedCommands(step)).toEqual([]);
  });

  it('restarts its timeout with each sentence, and stops it at its end', () => {
    const afterToken = stepAfter(requestStep(), FIRST_TOKEN);
    expect(timerCommands(afterToken)).toEqual([START_TIMEOUT]);
    const afterSentence = stepAfter(afterToken, SENTENCE);
    expect(spokenTexts(afterSentence)).toEqual(['We have a table.']);
    expect(timerCommands(afterSentence)).toContain(START_TIMEOUT);
    const afterEnd = stepAfter(afterSentence, DONE);
    expect(issuedCommands(afterEnd)).toEqual([{ type: 'timer.stop', timer: 'generation' }]);
    expect(afterEnd.context).toMatchObject({
      reply: { generation: null },
      metrics: { inputTokens: 10, outputTokens: 5 },
    });
  });

  it('ignores its events after it was dropped or has ended', () => {
    const ended = requestStep();
    changeReply(ended, { generation: null });
    for (const event of [FIRST_TOKEN, SENTENCE, TOOL_CALL, DONE, FAILED]) {
      for (const [previous, ignoredEvent] of [
        [requestStep(), { ...event, generation: 2 }],
        [ended, event],
        [ruleStep(), event],
      ] as const) {
        const step = stepAfter(previous, ignoredEvent);
        expect(issuedCommands(step)).toEqual([]);
        expect(step.context).toEqual(previous.context);
      }
    }
  });

  it('stops after two hundred sentences', () => {
    const step = stepAfter(requestStep(), FIRST_TOKEN, ...Array.from({ length: 200 }, () => SENTENCE));
    expect(spokenTexts(step)).toEqual(['We have a table.']);
    const canceled = stepAfter(step, SENTENCE);
    expect(issuedCommands(canceled)).toEqual([CANCEL, { type: 'timer.stop', timer: 'generation' }]);
    expect(canceled.context.reply?.generation).toBeNull();
  });

  it('allows an empty continuation of a response that failed after a sentence', () => {
    const step = stepAfter(requestStep(FALLBACK), FIRST_TOKEN, SENTENCE, FAILED);
    expect(requestedModels(step)).toEqual(['second']);
    const emptyEnd = stepAfter(step, { ...DONE, generation: 2 });
    expect([requestedModels(emptyEnd), spokenTexts(emptyEnd), emptyEnd.context.decidedEnd]).toEqual([[], [], null]);
  });
});

describe('failed generation', () => {
  it('stops its timeout, and the fallback is asked at once for the same agent turn', () => {
    const step = stepAfter(requestStep(FALLBACK), failureEvent(false));
    expect(timerCommands(step)[0]).toBe('generation stops');
    expect(requestedModels(step)).toEqual(['second']);
    expect(agentItem(step.context, step.context.reply?.generation?.item ?? 0)?.id).toBe(2);
  });

  it('leads to a retry after the requested wait, with a new timeout', () => {
    const backingOff = stepAfter(requestStep(), failureEvent(true, 800));
    expect([requestedModels(backingOff), timerCommands(backingOff)]).toEqual([
      [],
      ['generation stops', 'generation 800', RESTART_FILLER_TIMER],
    ]);
    const retried = stepAfter(backingOff, TIMEOUT);
    expect(requestedModels(retried)).toEqual(['model']);
    expect(retried.context.reply?.generation).toMatchObject({ number: 2, requestedUs: 2_000_000 });
    expect(issuedCommands(stepAfter(retried, TIMEOUT))).toContainEqual({ type: 'model.cancel', generation: 2 });
  });

  it('keeps the clock of silence running, also if it had sent a token', () => {
    for (const events of [[failureEvent(true, 800)], [FIRST_TOKEN, failureEvent(true, 800)]])
      expect(timerCommands(stepAfter(requestStep(), ...events))).toContain(RESTART_FILLER_TIMER);
  });

  it('fails the turn without a fallback, and cancels nothing', () => {
    const step = stepAfter(requestStep(), failureEvent(false));
    expect(issuedCommands(step)).not.toContainEqual(CANCEL);
    expect(step.context).toMatchObject({ decidedEnd: null, reply: { generation: null } });
    expect(step.context.failover.failedTurns).toEqual({ reason: 'llm_error', count: 1, reply: 1, atUs: 2_000_000 });
  });

  it('cancels a stalled generation, then asks the fallback or waits for the retry', () => {
    for (const [agent, models] of [
      [FALLBACK, ['second']],
      [{}, []],
    ] as const) {
      const step = stepAfter(requestStep(agent), TIMEOUT);
      expect(issuedCommands(step)[0]).toEqual(CANCEL);
      expect(requestedModels(step)).toEqual(models);
      expect(step.context.reply?.generation?.backingOff).toBe(models.length === 0);
    }
  });

  it('ignores the timeout without a running generation', () => {
    const withoutGeneration = requestStep();
    changeReply(withoutGeneration, { generation: null });
    for (const step of [withoutGeneration, ruleStep()]) expect(issuedCommands(stepAfter(step, TIMEOUT))).toEqual([]);
  });
});
