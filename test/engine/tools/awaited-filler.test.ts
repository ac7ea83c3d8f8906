import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import { INITIAL_VARIABLE_EXTRACTION } from '../../../engine/core/state/variable-extraction-slice.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import { sayAwaitedFillers, sayOnceKnown, waitsForVariables } from '../../../engine/tools/awaited-filler.ts';
import { addAgentItem } from '../../../engine/transcript/history.ts';
import { agentWith } from '../simulation/agent-with.ts';
import { issuedCommands, ruleStep, spokenTexts } from '../simulation/rule-step.ts';

const WAIT_MS = 600;
const FILLER = 'Let me see, {{name}}.';
const SPOKEN = 'Let me see, Ada.';
const TIMER: CallEvent = { type: 'timer', timer: 'awaited_variables' };
const agent = agentWith({ variables: [{ name: 'name' }, { name: 'city' }] });
const KNOWN = { variables: new Map([['name', { value: 'Ada', atUs: 0 }]]) };
/** An extraction of these variables runs. */
const extracting = (...names: readonly string[]): Partial<CallContext> => ({
  extraction: {
    ...INITIAL_VARIABLE_EXTRACTION.extraction,
    running: 1,
    requestedVariables: agent.variables.filter(({ name }) => names.includes(name)),
  },
});
const NOT_EXTRACTING: Partial<CallContext> = INITIAL_VARIABLE_EXTRACTION;

/** The step in which the reply is to say the filler. */
function announced(context: Partial<CallContext>, filler = FILLER, prompt = ''): RuleStep {
  const step = ruleStep({ agent, ...context });
  startReply(step, null);
  sayOnceKnown(step, { filler_sentence: filler }, addAgentItem(step), prompt);
  return step;
}

/** The step after it. */
function following(before: RuleStep, context: Partial<CallContext>, event?: CallEvent): RuleStep {
  const step = ruleStep({ ...before.context, ...context }, 100, event);
  sayAwaitedFillers(step);
  return step;
}

describe('a filler that names a variable', () => {
  it('is said at once if its value is known, or no extraction may find it', () => {
    expect(spokenTexts(announced({ ...extracting('name'), ...KNOWN }))).toEqual([SPOKEN]);
    expect(spokenTexts(announced(extracting('city'), 'Let me see.'))).toEqual(['Let me see.']);
    for (const step of [announced(NOT_EXTRACTING), announced(extracting('city'))]) {
      expect(waitsForVariables(step.context)).toBe(false);
      expect(issuedCommands(step).filter(({ type }) => type === 'timer.start')).toEqual([]);
    }
  });

  it.each([
    ['its value', ['name'], FILLER, ''],
    ['one of several values', ['name', 'city'], FILLER, ''],
    ['a value for the prompt of the next state', ['city'], 'Let me see.', 'They live in {{city}}.'],
  ] as const)('waits while an extraction may find %s, for a bounded time', (_what, names, filler, prompt) => {
    const step = announced(extracting(...names), filler, prompt);
    expect(spokenTexts(step)).toEqual([]);
    expect(waitsForVariables(step.context)).toBe(true);
    expect(issuedCommands(step)).toContainEqual({ type: 'timer.start', timer: 'awaited_variables', delayMs: WAIT_MS });
  });

  it('is said once the extraction has answered, and its timer ends', () => {
    const step = following(announced(extracting('name')), { ...NOT_EXTRACTING, ...KNOWN });
    expect(spokenTexts(step)).toEqual([SPOKEN]);
    expect(issuedCommands(step)).toContainEqual({ type: 'timer.stop', timer: 'awaited_variables' });
    expect(waitsForVariables(step.context)).toBe(false);
  });

  it('goes on waiting for another extraction, and not beyond its time', () => {
    const waiting = announced(extracting('name'));
    expect(issuedCommands(following(waiting, {}))).toEqual([]);
    expect(waitsForVariables(following(waiting, {}).context)).toBe(true);
    const over = following(waiting, {}, TIMER);
    expect(waitsForVariables(over.context)).toBe(false);
    // A sentence that lacks its value is left out.
    expect(spokenTexts(over)).toEqual([]);
  });

  it('is said in order with others of its reply', () => {
    const step = announced(extracting('name'));
    sayOnceKnown(step, { filler_sentence: 'Hello {{name}}.' }, addAgentItem(step));
    expect(spokenTexts(following(step, { ...NOT_EXTRACTING, ...KNOWN }))).toEqual([SPOKEN, 'Hello Ada.']);
  });

  it('is heard to its end only if its tool is configured so', () => {
    const step = ruleStep({ agent, ...extracting('name') });
    startReply(step, null);
    sayOnceKnown(step, { filler_sentence: FILLER, interruptible: false }, addAgentItem(step));
    const [segment] = following(step, { ...NOT_EXTRACTING, ...KNOWN }).context.reply?.segments ?? [];
    expect(segment?.interruptible).toBe(false);
    const [other] =
      following(announced(extracting('name')), { ...NOT_EXTRACTING, ...KNOWN }).context.reply?.segments ?? [];
    expect(other?.interruptible).toBe(true);
  });

  it('lets the reply ask the model after it, if it was to', () => {
    const step = announced(extracting('name'));
    expect(following(step, { ...NOT_EXTRACTING, ...KNOWN }).raised).toEqual([]);
    changeReply(step, { requestPending: true });
    expect(following(step, { ...NOT_EXTRACTING, ...KNOWN }).raised).toEqual([{ type: 'engine.generate' }]);
  });

  it('is forgotten with its reply, for which no other one waits', () => {
    const step = announced(extracting('name'));
    startReply(step, null);
    changeReply(step, { requestPending: true });
    expect(waitsForVariables(step.context)).toBe(false);
    for (const after of [following(step, NOT_EXTRACTING), following(step, { ...NOT_EXTRACTING, reply: null })]) {
      expect(spokenTexts(after)).toEqual([]);
      expect(after.raised).toEqual([]);
      expect(after.context.awaitedFillers).toBeNull();
    }
    expect(waitsForVariables({ ...step.context, reply: null })).toBe(false);
    expect(following(ruleStep(), {}).commands).toEqual([]);
  });
});
