import type { RuleStep } from '../core/rule-step.ts';
import type { Correction, LastTurn } from '../core/state/turn-detection-slice.ts';
import { isBackchannel } from '../languages/backchannel.ts';
import { languagePack } from '../languages/language-packs.ts';
import { haveSameWords, wordsOf } from '../languages/words.ts';
import { countAmendment } from '../metrics/conversation-metrics.ts';
import { addUserText, amendUserText } from '../transcript/history.ts';
import { rewriteUserEntry } from '../transcript/transcript.ts';
import { userLanguageOf, userTurnText } from '../transcript/user-turn-text.ts';
import { entryParts, entryText } from '../user-speech/commit-mark.ts';
import { readAgain, requestExtraction } from '../variable-extraction/variable-extraction.ts';
import { reopenLastTurn } from './reopen-last-turn.ts';
import { changesMeaning, isSubstantialChange } from './substantial-change.ts';

/**
 * Words of committed turns arrived late, or differ in their final: entries and history items change. They are no new
 * speech, so they never interrupt. The agent's answer goes on, unless it is wrong for what was said.
 */
export function amendTurns(step: RuleStep): void {
  const { earlierTurns, lastTurn } = step.context;
  for (const turn of earlierTurns) amendTurn(step, turn);
  if (lastTurn !== null) amendTurn(step, lastTurn);
}

function amendTurn(step: RuleStep, turn: LastTurn): void {
  const { userTurn } = step.context;
  const text = entryText(userTurn.speech, turn.entry.sequence);
  if (text === '' || text === turn.text) return;
  const amended = { ...turn, text };
  replaceTurn(step, turn, amended);
  rewriteUserEntry(step, turn.entry, turn.endUs, text);
  if (turn.item !== null) amendUserText(step, turn.item, turn.text, text);
  if (haveSameWords(text, turn.text)) return;
  countAmendment(step, turn.entry.sequence);
  const language = userLanguageOf(text, step.context);
  if (turn.item === null) answerAfterAll(step, amended, language);
  else {
    readAgain(step, turn.item);
    const isNew = addsStatement(step, turn, text, language);
    if (isNew || isSubstantialChange(turn.text, text, language)) correct(step, { item: turn.item, words: text });
  }
}

function replaceTurn(step: RuleStep, turn: LastTurn, amended: LastTurn): void {
  const { earlierTurns, lastTurn } = step.context;
  if (turn === lastTurn) step.change({ lastTurn: amended });
  else step.change({ earlierTurns: earlierTurns.map((other) => (other === turn ? amended : other)) });
}

/** Each turn is corrected once, with its latest words. */
function correct(step: RuleStep, correction: Correction): void {
  const others = step.context.corrections.filter(({ item }) => item !== correction.item);
  step.change({ corrections: [...others, correction].toSorted((a, b) => a.item - b.item) });
}

/**
 * The turn was a backchannel, which has no answer. With other words it has one: it goes on as the open turn, or is
 * answered after the current sentence of the agent.
 */
function answerAfterAll(step: RuleStep, amended: LastTurn, language: string): void {
  const { lastTurn, reply, userTurn } = step.context;
  if (isBackchannel(wordsOf(amended.text), languagePack(language))) return;
  const isLast = amended === lastTurn;
  if (isLast && reply === null && userTurn.entry === null && userTurnText(userTurn) === '')
    reopenLastTurn(step, amended);
  else {
    const item = addUserText(step, amended.text);
    replaceTurn(step, amended, { ...amended, item });
    correct(step, { item, words: amended.text });
    requestExtraction(step);
  }
}

/** A separate utterance follows words that stay as they were: the answer does not include it. */
function addsStatement(step: RuleStep, { entry, text: earlier }: LastTurn, text: string, language: string): boolean {
  const before = entryParts(step.context.userTurn.speech, entry.sequence).slice(0, -1).join(' ');
  return haveSameWords(before, earlier) && changesMeaning(earlier, text, language);
}
