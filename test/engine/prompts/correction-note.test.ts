import { describe, expect, it } from 'vitest';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { Correction } from '../../../engine/core/state/turn-detection-slice.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import { conversationRequest } from '../../../engine/prompts/conversation-request.ts';
import { addAgentItem, addToolResult, addUserText, changeAgentItem } from '../../../engine/transcript/history.ts';
import { ruleStep } from '../simulation/rule-step.ts';

/** An answer is quoted up to this length. */
const QUOTED_ANSWER_MAX = 120;
const ANSWER = 'A table for four, gladly.';

function addAnswer(step: RuleStep, text: string, playedText: string | null = null): void {
  changeAgentItem(step, addAgentItem(step), { text, playedText });
}

/** The note that the model gets with its request for the answer to these corrections. */
function noteOf(step: RuleStep, ...corrections: readonly Correction[]): string | undefined {
  startReply(step, null);
  changeReply(step, { corrections });
  return conversationRequest(step, false).messages.at(-1)?.content;
}

const note = (said: string) =>
  `[Some words of the caller were misheard when you answered them. ${said} Answer that now, briefly.]`;

describe('the note about misheard words', () => {
  it('quotes the answer that they had', () => {
    const step = ruleStep();
    const item = addUserText(step, 'for four');
    addAnswer(step, ANSWER);
    expect(noteOf(step, { item, words: 'for five' })).toBe(
      note(`Before you answered "${ANSWER}", the caller said: for five`),
    );
  });

  it('quotes only what was heard of it, and no more than its beginning', () => {
    const heard = ruleStep();
    const item = addUserText(heard, 'for four');
    addAnswer(heard, ANSWER, 'A table');
    expect(noteOf(heard, { item, words: 'for five' })).toContain('Before you answered "A table", the caller');
    const long = ruleStep();
    const longItem = addUserText(long, 'for four');
    addAnswer(long, 'a'.repeat(QUOTED_ANSWER_MAX + 1));
    const quoted = 'a'.repeat(QUOTED_ANSWER_MAX);
    expect(noteOf(long, { item: longItem, words: 'for five' })).toContain(
      `Before you answered "${quoted}", the caller`,
    );
  });

  it('finds the answer behind tool calls and their results', () => {
    const step = ruleStep();
    const item = addUserText(step, 'for four');
    changeAgentItem(step, addAgentItem(step), { calls: [{ id: 'call_1', name: 'lookup', arguments: '{}' }] });
    addToolResult(step, 'call_1', '{"free":true}');
    addAnswer(step, ANSWER);
    expect(noteOf(step, { item, words: 'for five' })).toContain(`Before you answered "${ANSWER}", the caller`);
  });

  it('quotes no answer to other words', () => {
    const step = ruleStep();
    const item = addUserText(step, 'for four');
    const next = addUserText(step, 'at seven');
    addAnswer(step, ANSWER);
    expect(noteOf(step, { item, words: 'for five' }, { item: next, words: 'at eight' })).toBe(
      note(`The caller said: for five Before you answered "${ANSWER}", the caller said: at eight`),
    );
  });
});
