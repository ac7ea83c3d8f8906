import type { RuleStep } from '../core/rule-step.ts';
import { spokenLanguage } from '../languages/spoken-language.ts';
import { wordsOf } from '../languages/words.ts';
import { countAmendment } from '../metrics/conversation-metrics.ts';
import { addUserText, amendUserText } from '../transcript/history.ts';
import { rewriteUserEntry } from '../transcript/transcript.ts';
import { entryText } from '../user-speech/commit-mark.ts';
import { readAgain } from '../variable-extraction/variable-extraction.ts';
import { isSubstantialChange } from './substantial-change.ts';

/**
 * Words of the last committed turn arrived late, or differ in their final: its entry and its history item change. They
 * are no new speech, so they never interrupt. The agent's answer goes on, unless it is wrong for what was said.
 */
export function amendLastTurn(step: RuleStep): void {
  const { agent, lastTurn, userTurn } = step.context;
  if (lastTurn === null) return;
  const text = entryText(userTurn.speech, lastTurn.entry.sequence);
  if (text === '' || text === lastTurn.text) return;
  step.change({ lastTurn: { ...lastTurn, text } });
  rewriteUserEntry(step, lastTurn.entry, lastTurn.endUs, text);
  if (lastTurn.item !== null) amendUserText(step, lastTurn.item, lastTurn.text, text);
  if (wordsOf(text).join(' ') === wordsOf(lastTurn.text).join(' ')) return;
  countAmendment(step, lastTurn.entry.sequence);
  if (lastTurn.item !== null) readAgain(step, lastTurn.item);
  const language = spokenLanguage(text, agent.language, userTurn.language);
  if (!isSubstantialChange(lastTurn.text, text, language)) return;
  const item = lastTurn.item ?? addUserText(step, text);
  step.change({ lastTurn: { ...lastTurn, text, item }, correction: text });
}
