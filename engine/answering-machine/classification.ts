import { type AnsweringMachinePhrases, containsOneOf } from '../languages/answering-machine-phrases.ts';
import { wordsOf } from '../languages/words.ts';
import type { AnswerType } from '../ports/answer-type.ts';

/** After so long without anything that decides, it is `unknown` who answered; from the answer. */
export const CLASSIFICATION_MAX_MS = 4_000;
/** A person says a word or a name and waits; a longer first turn may be a machine. */
export const SHORT_GREETING_MAX_MS = 2_500;
/** No person greets for this long without a pause. */
const MONOLOGUE_MIN_MS = 7_000;

/** The evidence about the party that answered, at one moment. */
export interface AnswerEvidence {
  readonly phrases: readonly AnsweringMachinePhrases[];
  /** All words heard since the answer. */
  readonly text: string;
  readonly beep: boolean;
  readonly sitHeard: boolean;
  readonly sinceAnswerMs: number;
  /** Length of the open turn of the party that answered; null while it holds no words. */
  readonly turnMs: number | null;
  /** Its end was found: silence, as of one who waits for an answer. */
  readonly turnEnded: boolean;
  /** The agent was heard before that turn began. */
  readonly answersAgent: boolean;
}

export interface AnswerClassification {
  readonly type: AnswerType;
  /** It plays a message and does not listen: the agent waits until it has finished. */
  readonly hearsNobody: boolean;
  readonly reason:
    | 'words of a recording'
    | 'words of absence'
    | 'words of a menu'
    | 'words of a screening'
    | 'words of an announcement'
    | 'special information tones'
    | 'a beep'
    | 'a monologue'
    | 'a short greeting'
    | 'a turn that answers the agent'
    | 'a long greeting without words of a machine'
    | 'nothing that decides';
}

/**
 * Who answered, or null while more is to be waited for. The first rule that holds decides: what a machine says is surer
 * than its tones, and those are surer than how long it talks.
 */
export function classifyAnswer(evidence: AnswerEvidence): AnswerClassification | null {
  const byWords = classifyWords(evidence.text, evidence.phrases);
  // Behind a network's announcement there may be a voicemail.
  if (byWords !== null && !(evidence.beep && byWords.type === 'unknown')) return byWords;
  return classifySound(evidence) ?? classifyGreeting(evidence);
}

/** What the words alone tell; null where no machine's stand in them. */
export function classifyWords(text: string, phrases: readonly AnsweringMachinePhrases[]): AnswerClassification | null {
  const words = wordsOf(text);
  const says = (kind: keyof AnsweringMachinePhrases) =>
    phrases.some((language) => containsOneOf(words, language[kind]));
  if (says('screening')) return { type: 'call_screening', hearsNobody: true, reason: 'words of a screening' };
  if (says('recording')) return { type: 'voicemail', hearsNobody: true, reason: 'words of a recording' };
  if (says('menu')) return { type: 'ivr', hearsNobody: true, reason: 'words of a menu' };
  if (says('absence')) return { type: 'voicemail', hearsNobody: true, reason: 'words of absence' };
  if (says('announcement')) return { type: 'unknown', hearsNobody: true, reason: 'words of an announcement' };
  return null;
}

/** Somebody is being fetched: what says so waits for no answer. */
export function asksToWait(text: string, phrases: readonly AnsweringMachinePhrases[]): boolean {
  const words = wordsOf(text);
  return phrases.some((language) => containsOneOf(words, language.pleaseWait));
}

function classifySound({
  beep,
  sitHeard,
  turnMs,
  turnEnded,
  answersAgent,
}: AnswerEvidence): AnswerClassification | null {
  if (beep) return { type: 'voicemail', hearsNobody: true, reason: 'a beep' };
  if (sitHeard) return { type: 'unknown', hearsNobody: true, reason: 'special information tones' };
  if (turnMs !== null && turnMs > MONOLOGUE_MIN_MS && !turnEnded && !answersAgent) {
    return { type: 'voicemail', hearsNobody: true, reason: 'a monologue' };
  }
  return null;
}

function classifyGreeting({
  turnMs,
  turnEnded,
  answersAgent,
  sinceAnswerMs,
}: AnswerEvidence): AnswerClassification | null {
  if (turnMs !== null && turnEnded) {
    if (answersAgent) return { type: 'human', hearsNobody: false, reason: 'a turn that answers the agent' };
    if (turnMs <= SHORT_GREETING_MAX_MS) return { type: 'human', hearsNobody: false, reason: 'a short greeting' };
    return { type: 'unknown', hearsNobody: false, reason: 'a long greeting without words of a machine' };
  }
  if (sinceAnswerMs < CLASSIFICATION_MAX_MS) return null;
  return { type: 'unknown', hearsNobody: false, reason: 'nothing that decides' };
}
