import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { EagerGeneration } from '../../../engine/core/state/generation-slice.ts';
import type { RunningTool } from '../../../engine/core/state/tools-slice.ts';
import { adoptGeneration, onModelEvent, onModelTimer, startGeneration } from '../../../engine/generation/generation.ts';
import { changeReply, requestGeneration, startReply } from '../../../engine/playout/reply.ts';
import { conversationRequest } from '../../../engine/prompts/model-requests.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { addUserText, agentItem } from '../../../engine/transcript/history.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';
import type { Scenario } from '../simulation/scenario.ts';

const FALLBACK = { fallbacks: { llm: [{ model: 'second' }] } };
const LOOKUP: RunningTool = { toolCallId: 'a', name: 'lookup', startedUs: 0, utterance: 1, item: 1 };
const FIRST_TOKEN = { type: 'model.first_token', generation: 1 } as const;
const SENTENCE = { type: 'model.sentence', generation: 1, text: 'We have a table.' } as const;
const CALL = {
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
const failed = (retryable: boolean, retryAfterMs = 0) =>
  ({
    type: 'model.failed',
    generation: 1,
    error: { provider: 'test', code: 'malformed', message: 'no', retryable, retryAfterMs },
  }) as const;
const FAILED = failed(true);
const TIMEOUT: CallEvent = { type: 'timer', timer: 'generation' };
const CANCEL = { type: 'model.cancel', generation: 1 };

/** The user's turn was taken, and its reply begins, at 1 s. */
function answering(agent: Scenario['agent'] = {}, context: Partial<CallContext> = {}): RuleStep {
  const step = ruleStep({ ...initialContext(agentWith(agent), CALL_PARAMETERS), ...context }, 1_000);
  addUserText(step, 'Hello?');
  startReply(step, null);
  return step;
}

/** The same, and the model was asked, as generation 1. */
function asked(agent: Scenario['agent'] = {}): RuleStep {
  const step = answering(agent);
  requestGeneration(step);
  startGeneration(step);
  return step;
}

function then(step: RuleStep, ...events: readonly CallEvent[]): RuleStep {
  return events.reduce((before, event) => {
    const next = ruleStep(before.context, 2_000, event);
    if (event.type === 'timer') onModelTimer(next);
    else onModelEvent(next);
    return next;
  }, step);
}

/** The models that were asked, by name. */
const requests = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => (command.type === 'model.request' ? [command.request.model] : []));
const timers = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => {
    if (command.type === 'timer.start') return [`${command.timer} ${command.delayMs}`];
    return command.type === 'timer.stop' ? [`${command.timer} stops`] : [];
  });
const spoken = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => (command.type === 'voice.speak' ? [command.text] : []));

describe('the model', () => {
  it('is asked once the reply wants it and no function runs', () => {
    const step = asked();
    expect(requests(step)).toEqual(['model']);
    expect(timers(step)).toEqual(['generation 10000', 'thinking_filler 3000']);
    const unasked = answering();
    startGeneration(unasked);
    const waiting = answering({}, { runningTools: [LOOKUP] });
    requestGeneration(waiting);
    startGeneration(waiting);
    const over = ruleStep();
    startGeneration(over);
    for (const one of [unasked, waiting, over]) expect(issuedCommands(one)).toEqual([]);
  });

  it('that has begun is waited for from each sentence on, and no longer once it is done', () => {
    const begun = then(asked(), FIRST_TOKEN);
    expect(timers(begun)).toEqual(['thinking_filler stops', 'generation 10000']);
    const goesOn = then(begun, SENTENCE);
    expect(spoken(goesOn)).toEqual(['We have a table.']);
    expect(timers(goesOn)).toContain('generation 10000');
    const done = then(goesOn, DONE);
    expect(issuedCommands(done)).toEqual([{ type: 'timer.stop', timer: 'generation' }]);
    expect(done.context).toMatchObject({ reply: { generation: null }, metrics: { inputTokens: 10, outputTokens: 5 } });
  });

  it('tells nothing more of an answer that was dropped, or is over', () => {
    const over = asked();
    changeReply(over, { generation: null });
    for (const event of [FIRST_TOKEN, SENTENCE, CALL, DONE, FAILED]) {
      for (const [before, told] of [
        [asked(), { ...event, generation: 2 }],
        [over, event],
        [ruleStep(), event],
      ] as const) {
        const step = then(before, told);
        expect(issuedCommands(step)).toEqual([]);
        expect(step.context).toEqual(before.context);
      }
    }
  });

  it('that says more than two hundred sentences is stopped', () => {
    const step = then(asked(), FIRST_TOKEN, ...Array.from({ length: 200 }, () => SENTENCE));
    expect(spoken(step)).toEqual(['We have a table.']);
    const stopped = then(step, SENTENCE);
    expect(issuedCommands(stopped)).toEqual([CANCEL, { type: 'timer.stop', timer: 'generation' }]);
    expect(stopped.context.reply?.generation).toBeNull();
  });

  it('may say nothing where an answer broke off that was whole', () => {
    const step = then(asked(), FIRST_TOKEN, SENTENCE, FAILED);
    expect(requests(step)).toEqual(['model']);
    const silent = then(step, { ...DONE, generation: 2 });
    expect([requests(silent), spoken(silent), silent.context.decidedEnd]).toEqual([[], [], null]);
  });
});

describe('a model that fails', () => {
  it('is watched no more, and the next one is asked at once, to go on in the same words', () => {
    const step = then(asked(FALLBACK), failed(false));
    expect(timers(step)[0]).toBe('generation stops');
    expect(requests(step)).toEqual(['second']);
    expect(agentItem(step.context, step.context.reply?.generation?.item ?? 0)?.id).toBe(2);
  });

  it('is asked again at once where no wait is due', () => {
    expect(requests(then(asked(), FAILED))).toEqual(['model']);
  });

  it('is asked again after the wait that it asks for, and then is waited for again', () => {
    const waits = then(asked(), failed(true, 800));
    expect([requests(waits), timers(waits)]).toEqual([[], ['generation stops', 'generation 800']]);
    const again = then(waits, TIMEOUT);
    expect(requests(again)).toEqual(['model']);
    expect(again.context.reply?.generation).toMatchObject({ number: 2, requestedUs: 2_000_000 });
    expect(issuedCommands(then(again, TIMEOUT))).toContainEqual({ type: 'model.cancel', generation: 2 });
  });

  it('leaves the user to be told to wait as long after the first request as before', () => {
    expect(timers(then(asked(), FAILED))).toEqual(['generation stops', 'generation 10000']);
  });

  it('once it had begun has the user told to wait as from a first request', () => {
    const step = then(asked(), FIRST_TOKEN, FAILED);
    expect(timers(step)).toEqual(['generation stops', 'thinking_filler 3000', 'generation 10000']);
    expect(timers(then(asked(), FIRST_TOKEN, failed(false)))).not.toContain('thinking_filler 3000');
  });

  it('and is alone is cancelled no more, and the call gives up', () => {
    const step = then(asked(), failed(false));
    expect(issuedCommands(step)).not.toContainEqual(CANCEL);
    expect(step.context).toMatchObject({ decidedEnd: 'llm_error', reply: { generation: null } });
  });

  it('by a stall is cancelled, and followed by the next one, or asked once more', () => {
    for (const [agent, model] of [
      [FALLBACK, 'second'],
      [{}, 'model'],
    ] as const) {
      const step = then(asked(agent), TIMEOUT);
      expect(issuedCommands(step)[0]).toEqual(CANCEL);
      expect(requests(step)).toEqual([model]);
    }
  });

  it('is nobody where none is asked', () => {
    const done = asked();
    changeReply(done, { generation: null });
    for (const step of [done, ruleStep()]) expect(issuedCommands(then(step, TIMEOUT))).toEqual([]);
  });
});

describe('an answer that was asked for ahead', () => {
  function adopted(eager: Partial<EagerGeneration>, agent: Scenario['agent'] = {}): RuleStep {
    const step = answering(agent, { pendingResponse: true });
    const request = conversationRequest(step, true);
    step.nextNumber('generation');
    adoptGeneration(step, {
      number: 1,
      request,
      text: 'Hello?',
      hasFirstToken: false,
      sentences: [],
      done: false,
      ...eager,
    });
    return step;
  }

  it('is said as if it had just come; nothing else is owed', () => {
    const step = adopted({ hasFirstToken: true, sentences: ['We have', 'a table.'], done: true });
    expect(spoken(step)).toEqual(['We have', 'a table.']);
    expect(step.context).toMatchObject({ pendingResponse: false, reply: { generation: null, steps: 1 } });
    expect(requests(step)).toEqual([]);
  });

  it('and has not come is waited for as any other', () => {
    const step = adopted({});
    expect(timers(step)).toEqual(['generation 10000', 'thinking_filler 3000']);
    expect(spoken(then(step, FIRST_TOKEN, SENTENCE))).toEqual(['We have a table.']);
    const stalled = then(adopted({}, FALLBACK), TIMEOUT);
    expect(issuedCommands(stalled)[0]).toEqual(CANCEL);
    expect(requests(stalled)).toEqual(['second']);
  });

  it('and is none is asked for once more', () => {
    expect(requests(then(adopted({}), DONE))).toEqual(['model']);
    expect(requests(adopted({ hasFirstToken: true, sentences: ['👍'], done: true }))).toEqual(['model']);
  });
});
