import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { addAgentItem, addUserText } from '../../../engine/transcript/history.ts';
import {
  onExtractionResult,
  readAgain,
  requestExtraction,
} from '../../../engine/variable-extraction/variable-extraction.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';
import type { Scenario } from '../simulation/scenario.ts';

const ERROR = { provider: 'openai', code: 'unavailable', message: 'no', retryable: true } as const;
const DONE: CallEvent = {
  type: 'extraction.done',
  extraction: 1,
  answer: { name: 'Ada' },
  usage: { inputTokens: 10, outputTokens: 5 },
};
const FAILED: CallEvent = { type: 'extraction.failed', extraction: 1, error: ERROR };
const TIMED_OUT: CallEvent = { type: 'timer', timer: 'extraction' };

/** The user has spoken, and the first extraction is running. */
function stepWithExtraction(agent: Scenario['agent'] = {}): RuleStep {
  const step = ruleStep(initialContext(agentWith({ variables: [{ name: 'name' }], ...agent }), CALL_PARAMETERS), 1_000);
  addUserText(step, 'My name is Ada.');
  requestExtraction(step);
  return step;
}

function afterEvent(step: RuleStep, event: CallEvent, atMs = 2_000): RuleStep {
  const next = ruleStep(step.context, atMs, event);
  onExtractionResult(next);
  return next;
}

/** The numbers of the requested extractions. */
const requestedNumbers = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => (command.type === 'extraction.request' ? [command.extraction] : []));
const START = { type: 'timer.start', timer: 'extraction', delayMs: 20_000 };
const STOP = { type: 'timer.stop', timer: 'extraction' };

describe('an extraction', () => {
  it('is requested with a timeout if the user has spoken and a variable is declared', () => {
    const step = stepWithExtraction();
    expect(requestedNumbers(step)).toEqual([1]);
    expect(issuedCommands(step)).toContainEqual(START);
    expect(requestedNumbers(stepWithExtraction({ variables: [] }))).toEqual([]);
    const withoutUserText = ruleStep(initialContext(agentWith({ variables: [{ name: 'name' }] }), CALL_PARAMETERS));
    addAgentItem(withoutUserText);
    requestExtraction(withoutUserText);
    expect(issuedCommands(withoutUserText)).toEqual([]);
  });

  it('reads an item again that has changed while it ran, also after a failure', () => {
    for (const event of [DONE, FAILED, TIMED_OUT]) {
      const running = stepWithExtraction();
      readAgain(running, 1);
      const next = afterEvent(running, event);
      expect(requestedNumbers(next)).toEqual([2]);
      expect(next.context.extraction.readThrough).toBe(0);
      expect(afterEvent(next, { ...DONE, extraction: 2 }).context.extraction).toMatchObject({
        readThrough: 1,
        running: null,
      });
    }
  });

  it('is requested again only after new words of the user', () => {
    const step = afterEvent(stepWithExtraction(), DONE);
    requestExtraction(step);
    addAgentItem(step);
    requestExtraction(step);
    expect(requestedNumbers(step)).toEqual([]);
    addUserText(step, 'Four of us.');
    requestExtraction(step);
    expect(requestedNumbers(step)).toEqual([2]);
  });

  it('stops its timeout, counts its tokens and sets the variables when it succeeds', () => {
    const step = afterEvent(stepWithExtraction(), DONE);
    expect(issuedCommands(step)).toContainEqual(STOP);
    expect(step.context).toMatchObject({
      extraction: { running: null },
      metrics: { inputTokens: 10, outputTokens: 5 },
    });
    expect(step.context.variables.get('name')).toMatchObject({ value: 'Ada' });
  });

  it('logs its failure, and is requested again with the user’s next words', () => {
    const step = afterEvent(stepWithExtraction(), FAILED);
    expect(issuedCommands(step)).toEqual([STOP]);
    expect(step.context.extraction).toMatchObject({ readThrough: 0, read: new Set() });
    expect(step.commands).toContainEqual({
      type: 'log',
      notice: { type: 'extraction_failed', error: 'openai unavailable: no' },
    });
    requestExtraction(step);
    expect(requestedNumbers(step)).toEqual([]);
    addUserText(step, 'My name is Ada.');
    requestExtraction(step);
    expect(requestedNumbers(step)).toEqual([2]);
  });

  it('is requested once from each fallback model after a failure', () => {
    const step = afterEvent(
      stepWithExtraction({ fallbacks: { llm: [{ provider: 'openai', model: 'gpt-4o' }] } }),
      FAILED,
    );
    expect(requestedNumbers(step)).toEqual([2]);
    expect(issuedCommands(step)).toContainEqual(START);
    expect(requestedNumbers(afterEvent(step, { ...FAILED, extraction: 2 }))).toEqual([]);
  });

  it('is cancelled after its timeout', () => {
    const step = afterEvent(stepWithExtraction(), TIMED_OUT, 21_000);
    expect(issuedCommands(step)).toEqual([{ type: 'extraction.cancel', extraction: 1 }]);
    expect(step.context.extraction.running).toBeNull();
  });

  it('ignores the result of another request, and a timeout while none is running', () => {
    const otherRequest = afterEvent(stepWithExtraction(), { ...DONE, extraction: 2 });
    expect([issuedCommands(otherRequest), otherRequest.context.extraction.running]).toEqual([[], 1]);
    const withoutRunning = afterEvent(afterEvent(stepWithExtraction(), TIMED_OUT), TIMED_OUT);
    expect(issuedCommands(withoutRunning)).toEqual([]);
  });

  it('is followed by another one if the user spoke during its run, on success and on failure', () => {
    for (const event of [DONE, FAILED, TIMED_OUT]) {
      const step = stepWithExtraction({ fallbacks: { llm: [{ provider: 'openai', model: 'gpt-4o' }] } });
      addUserText(step, 'Ada Lovelace.');
      requestExtraction(step);
      expect(requestedNumbers(step)).toEqual([1]);
      const next = afterEvent(step, event);
      expect(requestedNumbers(next)).toEqual([2]);
      expect(next.context.extraction.stale).toBe(false);
      expect(requestedNumbers(afterEvent(next, { ...DONE, extraction: 2 }))).toEqual([]);
    }
  });

  it('does not overwrite values that were set after its request', () => {
    const value = (atUs: number) => {
      const step = stepWithExtraction();
      step.change({ variables: new Map(step.context.variables).set('name', { value: 'Grace', atUs }) });
      return afterEvent(step, DONE).context.variables.get('name')?.value;
    };
    expect(value(1_000_001)).toBe('Grace');
    expect(value(1_000_000)).toBe('Ada');
  });
});
