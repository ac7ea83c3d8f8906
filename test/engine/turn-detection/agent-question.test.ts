import { describe, expect, it } from 'vitest';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import { askModel } from '../../../engine/generation/ask-model.ts';
import { addAgentItem, addUserText, changeAgentItem } from '../../../engine/transcript/history.ts';
import { addsNothing, hasAskedQuestion, lastAgentText } from '../../../engine/turn-detection/agent-question.ts';
import { ruleStep } from '../simulation/rule-step.ts';

const QUESTION = 'Would you like that?';
const STATEMENT = 'That is possible.';

function afterAgentSaid(text: string, playedText?: string): RuleStep {
  const step = ruleStep();
  const played = playedText === undefined ? {} : { playedText };
  changeAgentItem(step, addAgentItem(step), { text, ...played });
  return step;
}

describe('the last words of the agent', () => {
  it('are none before it has spoken', () => {
    expect(lastAgentText(ruleStep().context)).toBe('');
    expect(hasAskedQuestion(ruleStep().context)).toBe(false);
  });

  it('are a question if they end in one', () => {
    expect(hasAskedQuestion(afterAgentSaid(QUESTION).context)).toBe(true);
    expect(hasAskedQuestion(afterAgentSaid(STATEMENT).context)).toBe(false);
  });

  it('stay those of the agent after words of the user', () => {
    const step = afterAgentSaid(QUESTION);
    addUserText(step, 'I see');
    expect(lastAgentText(step.context)).toBe(QUESTION);
  });

  it('are those that were played', () => {
    expect(lastAgentText(afterAgentSaid(`${STATEMENT} ${QUESTION}`, STATEMENT).context)).toBe(STATEMENT);
  });

  it('are not those of an answer that is not heard yet', () => {
    const step = afterAgentSaid(QUESTION);
    askModel(step, 'ahead');
    changeAgentItem(step, addAgentItem(step), { text: STATEMENT });
    expect(lastAgentText(step.context)).toBe(QUESTION);
  });
});

describe('after the agent’s last words', () => {
  const nothing = (said: string, words: string) => addsNothing(afterAgentSaid(said).context, words.split(' '));

  it('calls for attention add nothing', () => {
    for (const said of [QUESTION, STATEMENT]) expect(nothing(said, 'hello are you there')).toBe(true);
    for (const said of [QUESTION, STATEMENT]) expect(nothing(said, 'hello a table')).toBe(false);
  });

  it('backchannels answer a question, and add nothing to a statement', () => {
    expect(nothing(QUESTION, 'yes')).toBe(false);
    expect(nothing(STATEMENT, 'yes')).toBe(true);
  });

  it('hesitations and thanks answer no question', () => {
    expect(nothing(QUESTION, 'um thanks')).toBe(true);
  });
});
