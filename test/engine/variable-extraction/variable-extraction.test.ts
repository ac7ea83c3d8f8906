import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { addAgentItem, addUserText } from '../../../engine/transcript/history.ts';
import { onExtractionResult, requestExtraction } from '../../../engine/variable-extraction/variable-extraction.ts';
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
const LATE: CallEvent = { type: 'timer', timer: 'extraction' };

/** The user has said something, and the first extraction runs. */
function running(agent: Scenario['agent'] = {}): RuleStep {
  const step = ruleStep(initialContext(agentWith({ variables: [{ name: 'name' }], ...agent }), CALL_PARAMETERS), 1_000);
  addUserText(step, 'My name is Ada.');
  requestExtraction(step);
  return step;
}

function then(step: RuleStep, event: CallEvent, atMs = 2_000): RuleStep {
  const next = ruleStep(step.context, atMs, event);
  onExtractionResult(next);
  return next;
}

/** The numbers of the extractions that were asked for. */
const requests = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => (command.type === 'extraction.request' ? [command.extraction] : []));
const START = { type: 'timer.start', timer: 'extraction', delayMs: 20_000 };
const STOP = { type: 'timer.stop', timer: 'extraction' };

describe('an extraction', () => {
  it('is asked for with a bound, where the user has said something and there is something to ask for', () => {
    const step = running();
    expect(requests(step)).toEqual([1]);
    expect(issuedCommands(step)).toContainEqual(START);
    expect(requests(running({ variables: [] }))).toEqual([]);
    const nobody = ruleStep(initialContext(agentWith({ variables: [{ name: 'name' }] }), CALL_PARAMETERS));
    addAgentItem(nobody);
    requestExtraction(nobody);
    expect(issuedCommands(nobody)).toEqual([]);
  });

  it('is asked for again only about what the user has said since', () => {
    const step = then(running(), DONE);
    requestExtraction(step);
    addAgentItem(step);
    requestExtraction(step);
    expect(requests(step)).toEqual([]);
    addUserText(step, 'Four of us.');
    requestExtraction(step);
    expect(requests(step)).toEqual([2]);
  });

  it('that answers stops its bound, is counted, and fills what is known', () => {
    const step = then(running(), DONE);
    expect(issuedCommands(step)).toContainEqual(STOP);
    expect(step.context).toMatchObject({
      extraction: { running: null },
      metrics: { inputTokens: 10, outputTokens: 5 },
    });
    expect(step.context.variables.get('name')).toMatchObject({ value: 'Ada' });
  });

  it('that fails is told of in the log, and asked again with the user’s next words', () => {
    const step = then(running(), FAILED);
    expect(issuedCommands(step)).toEqual([STOP]);
    expect(step.commands).toContainEqual({
      type: 'log',
      level: 'warn',
      message: 'an extraction failed: openai unavailable: no',
    });
    requestExtraction(step);
    expect(requests(step)).toEqual([2]);
  });

  it('that fails is asked of the next model of the list, once each', () => {
    const step = then(running({ fallbacks: { llm: [{ provider: 'openai', model: 'gpt-4o' }] } }), FAILED);
    expect(requests(step)).toEqual([2]);
    expect(issuedCommands(step)).toContainEqual(START);
    expect(requests(then(step, { ...FAILED, extraction: 2 }))).toEqual([]);
  });

  it('that takes too long is cancelled', () => {
    const step = then(running(), LATE, 21_000);
    expect(issuedCommands(step)).toEqual([{ type: 'extraction.cancel', extraction: 1 }]);
    expect(step.context.extraction.running).toBeNull();
  });

  it('is not ended by another one’s answer, nor where none runs', () => {
    const other = then(running(), { ...DONE, extraction: 2 });
    expect([issuedCommands(other), other.context.extraction.running]).toEqual([[], 1]);
    const none = then(then(running(), LATE), LATE);
    expect(issuedCommands(none)).toEqual([]);
  });

  it('that runs while the user says more is followed by one more, however it ends', () => {
    for (const event of [DONE, FAILED, LATE]) {
      const step = running({ fallbacks: { llm: [{ provider: 'openai', model: 'gpt-4o' }] } });
      addUserText(step, 'Ada Lovelace.');
      requestExtraction(step);
      expect(requests(step)).toEqual([1]);
      const next = then(step, event);
      expect(requests(next)).toEqual([2]);
      expect(next.context.extraction.stale).toBe(false);
      expect(requests(then(next, { ...DONE, extraction: 2 }))).toEqual([]);
    }
  });

  it('leaves what became known after it was asked for', () => {
    const value = (atUs: number) => {
      const step = running();
      step.change({ variables: new Map(step.context.variables).set('name', { value: 'Grace', atUs }) });
      return then(step, DONE).context.variables.get('name')?.value;
    };
    expect(value(1_000_001)).toBe('Grace');
    expect(value(1_000_000)).toBe('Ada');
  });
});
