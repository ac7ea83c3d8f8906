import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { askModel } from '../../../engine/generation/ask-model.ts';
import { addAgentItem, changeAgentItem } from '../../../engine/transcript/history.ts';
import { turnCompleteness } from '../../../engine/turn-detection/turn-completeness.ts';
import { type AgentOverrides, agentWith } from '../simulation/agent-with.ts';
import { ruleStep } from '../simulation/rule-step.ts';
import { speechOf } from '../simulation/speech.ts';

/** The completeness of these words, after the last words of the agent. */
function judged(text: string, said = '', agent: AgentOverrides = {}, context: Partial<CallContext> = {}) {
  const userTurn = { ...SILENT_USER, speech: speechOf({ finals: [text] }) };
  const step = ruleStep({ agent: agentWith(agent), userTurn, ...context });
  if (said !== '') changeAgentItem(step, addAgentItem(step), { text: said });
  return turnCompleteness(step);
}

const LONG = 'I have been looking for a table for some time now and nobody could help me with it. '.repeat(5);
const PHONE = '0 3 0 1 2 3 4 5 6 7 8';

describe('the completeness of a turn', () => {
  it('of a long turn is that of its end', () => {
    for (const end of ['And then I went to the', 'That is all.']) expect(judged(`${LONG}${end}`)).toEqual(judged(end));
  });

  it('expects the digits that an unset variable or a tool of the state asks for', () => {
    const expected = { score: expect.any(Number), reasons: ['form_complete'] };
    const variables = [{ name: 'phone_number', type: 'string' as const }];
    const tool = { type: 'custom_function' as const, name: 'call_back', url: 'https://example.com' };
    const tools = [{ ...tool, parameters: [{ name: 'phone_number', type: 'string' as const }] }];
    expect(judged(PHONE).reasons).toEqual(['form_may_continue']);
    expect(judged(PHONE, '', { variables })).toEqual(expected);
    expect(judged(PHONE, '', { states: [{ name: 'start', tools }] })).toEqual(expected);
    const set = { variables: new Map([['phone_number', { value: '030', atUs: 0 }]]) };
    expect(judged(PHONE, '', { variables }, set).reasons).toEqual(['form_may_continue']);
  });

  it('expects what a parameter or variable is named after, in the language of the agent of this call', () => {
    const tool = { type: 'custom_function' as const, name: 'call_back', url: 'https://example.com' };
    const tools = [{ ...tool, parameters: [{ name: 'telefonnummer', type: 'string' as const }] }];
    const variables = [{ name: 'telefonnummer', type: 'string' as const }];
    for (const named of [{ variables }, { states: [{ name: 'start', tools }] }]) {
      const agent = agentWith({ ...named, language: 'en' });
      const reasonsIn = (language: 'en' | 'de') =>
        judged('0', 'Go ahead.', {}, { agent: { ...agent, language } }).reasons;
      // Calls whose language is replaced share the rest of their agent.
      expect([reasonsIn('en'), reasonsIn('de'), reasonsIn('en')]).toEqual([['no_mark'], ['dictation'], ['no_mark']]);
    }
  });

  it('takes the last question of the agent into account, also if a sentence follows it', () => {
    expect(judged('I would').reasons).toEqual(['open_ending']);
    expect(judged('I would', 'I see. Would you like that?').reasons).toEqual(['no_mark']);
    expect(judged('I would', 'Would you like that? Take your time.').reasons).toEqual(['no_mark']);
    expect(judged('I would', 'Would you like that? Or what is it?').reasons).toEqual(['open_ending']);
  });

  it('takes a request of the agent into account that is no question', () => {
    const dictated = { score: 0, reasons: ['dictation'] };
    expect(judged('0.', 'Please tell me your phone number.')).toEqual(dictated);
    expect(judged('0.', 'I need your phone number.')).toEqual(dictated);
    expect(judged('Okay.', 'I have noted your phone number.').reasons).toEqual(['sentence_mark']);
    expect(judged('Okay.', 'Thank you for your phone number.').reasons).toEqual(['sentence_mark']);
    expect(judged('The bill from last month.', 'Tell me which one.').reasons).toEqual(['sentence_mark']);
    expect(judged('The bill from last month.', 'I see.').reasons).toEqual(['marked_open_ending']);
  });

  it('expects more digits after the first one that an unset variable asks for, unless the agent asks for something else', () => {
    const agent = { variables: [{ name: 'phone_number', type: 'string' as const }] };
    expect(judged('0', 'Go ahead.', agent).reasons).toEqual(['dictation']);
    expect(judged('2', 'For how many people?', agent).reasons).toEqual(['no_mark']);
    expect(judged('0', 'Go ahead.').reasons).toEqual(['no_mark']);
  });

  it('takes the question before the answer that is being made', () => {
    const step = ruleStep({ userTurn: { ...SILENT_USER, speech: speechOf({ finals: ['I would'] }) } });
    changeAgentItem(step, addAgentItem(step), { text: 'Would you like that?' });
    askModel(step, 'ahead');
    addAgentItem(step);
    expect(turnCompleteness(step).reasons).toEqual(['no_mark']);
  });

  it('is known before the final, if the final has the words of its interim', () => {
    const step = ruleStep({ agent: agentWith({}) });
    const judgedWith = (speech: ReturnType<typeof speechOf>) => {
      step.change({ userTurn: { ...SILENT_USER, speech } });
      return turnCompleteness(step);
    };
    const atInterim = judgedWith(speechOf({ finals: [], interim: 'I would' }));
    expect(judgedWith(speechOf({ finals: ['I would'] }))).toBe(atInterim);
    expect(judgedWith(speechOf({ finals: ['I would like that'] })).reasons).not.toEqual(atInterim.reasons);
  });
});
