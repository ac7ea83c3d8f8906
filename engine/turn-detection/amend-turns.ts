import type { RuleStep } from '../core/rule-step.ts';
import type { LastTurn } from '../core/state/turn-detection-slice.ts';
import { languagePack } from '../languages/language-packs.ts';
import { consistsOfPhrases } from '../languages/phrase-matching.ts';
import { spokenLanguage } from '../languages/spoken-language.ts';
import { wordsOf } from '../languages/words.ts';
import { countAmendment } from '../metrics/conversation-metrics.ts';
import { addUserText, amendUserText } from '../transcript/history.ts';
import { rewriteUserEntry } from '../transcript/transcript.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';
import { entryParts, entryText } from '../user-speech/commit-mark.ts';
import { readAgain, requestExtraction } from '../variable-extraction/variable-extraction.ts';
import { reopenLastTurn } from './reopen-last-turn.ts';
import { changesMeaning, isSubstantialChange } from './substantial-change.ts';

/**
 * Words of the last committed turn arrived late, or differ in their final: its entry and its history item change. They
 * are no new speech, so they never interrupt. The agent's answer goes on, unless it is wrong for what was said.
 */
export function amendLastTurn(step: RuleStep): void {
  const { agent, lastTurn, userTurn } = step.context;
  if (lastTurn === null) return;
  const text = entryText(userTurn.speech, lastTurn.entry.sequence);
  if (text === '' || text === lastTurn.text) return;
  const amended = { ...lastTurn, text };
  step.change({ lastTurn: amended });
  rewriteUserEntry(step, lastTurn.entry, lastTurn.endUs, text);
  if (lastTurn.item !== null) amendUserText(step, lastTurn.item, lastTurn.text, text);
  if (isSameText(text, lastTurn.text)) return;
  countAmendment(step, lastTurn.entry.sequence);
  const language = spokenLanguage(text, agent.language, userTurn.language);
  if (lastTurn.item === null) answerAfterAll(step, amended, language);
  else {
    readAgain(step, lastTurn.item);
    const isNew = addsStatement(step, lastTurn, text, language);
    if (isNew || isSubstantialChange(lastTurn.text, text, language)) step.change({ correction: text });
  }
}

/**
 * The turn was a backchannel, which has no answer. With other words it has one: it goes on as the open turn, or is
 * answered behind the current sentence of the agent.
 */
function answerAfterAll(step: RuleStep, amended: LastTurn, language: string): void {
  const { reply, userTurn } = step.context;
  if (consistsOfPhrases(wordsOf(amended.text), languagePack(language).backchannels)) return;
  if (reply === null && userTurn.entry === null && userTurnText(userTurn) === '') reopenLastTurn(step, amended);
  else {
    const item = addUserText(step, amended.text);
    step.change({ lastTurn: { ...amended, item }, correction: amended.text });
    requestExtraction(step);
  }
}

/** An utterance of its own follows words that stay as they were: the answer does not know of it. */
function addsStatement(step: RuleStep, { entry, text: earlier }: LastTurn, text: string, language: string): boolean {
  const before = entryParts(step.context.userTurn.speech, entry.sequence).slice(0, -1).join(' ');
  return isSameText(before, earlier) && changesMeaning(earlier, text, language);
}

function isSameText(text: string, other: string): boolean {
  return wordsOf(text).join(' ') === wordsOf(other).join(' ');
}
