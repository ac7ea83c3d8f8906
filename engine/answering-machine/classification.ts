import type { AnsweringMachinePhrases } from '../languages/language-pack.ts';
import { matchesAnyPhrase } from '../languages/phrase-pattern.ts';
import { wordsOf } from '../languages/words.ts';
import type { AnswerType } from '../ports/answer-type.ts';

/** Without decisive evidence by this time after the answer, the type is `unknown`. */
export const CLASSIFICATION_MS_MAX = 4_000;
/** A human answers with a word or a name and waits; a longer first turn may be a machine. */
export const SHORT_GREETING_MS_MAX = 2_500;
/** No human greets for this long without a pause. */
const MONOLOGUE_MS_MIN = 7_000;

/** The evidence about the party that answered, at one moment. */
export interface AnswerEvidence {
  readonly phrases: readonly AnsweringMachinePhrases[];
  /** All words heard since the answer. */
  readonly text: string;
  readonly beep: boolean;
  readonly sitHeard: boolean;
  readonly sinceAnswerMs: number;
  /** Length of the party's open turn; null while the turn has no words. */
  readonly turnMs: number | null;
  /** The end of that turn was detected: the party is silent and waits for an answer. */
  readonly turnEnded: boolean;
  /** The agent spoke before that turn began. */
  readonly answersAgent: boolean;
}

export interface AnswerClassification {
  readonly type: AnswerType;
  /** The party plays a message and does not listen: the agent waits until it has finished. */
  readonly playsMessage: boolean;
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
 * The type of the party that answered, or null while the evidence is not sufficient. The most reliable evidence
 * decides: words, then tones, then timing.
 */
export function classifyAnswer(evidence: AnswerEvidence): AnswerClassification | null {
  const byWords = classifyWords(evidence.text, evidence.phrases);
  // A voicemail may follow an announcement of the network.
  if (byWords !== null && !(evidence.beep && byWords.type === 'unknown')) return byWords;
  return classifySound(evidence) ?? classifyGreeting(evidence);
}

/** The type by the words alone; null if they contain no phrase of a machine. */
export function classifyWords(text: string, phrases: readonly AnsweringMachinePhrases[]): AnswerClassification | null {
  const words = wordsOf(text);
  const hasPhrase = (kind: keyof AnsweringMachinePhrases) =>
    phrases.some((language) => matchesAnyPhrase(words, language[kind]));
  if (hasPhrase('screening')) return { type: 'call_screening', playsMessage: true, reason: 'words of a screening' };
  if (hasPhrase('recording')) return { type: 'voicemail', playsMessage: true, reason: 'words of a recording' };
  if (hasPhrase('menu')) return { type: 'ivr', playsMessage: true, reason: 'words of a menu' };
  if (hasPhrase('absence')) return { type: 'voicemail', playsMessage: true, reason: 'words of absence' };
  if (hasPhrase('announcement')) return { type: 'unknown', playsMessage: true, reason: 'words of an announcement' };
  return null;
}

/** The machine asks the agent to wait while it connects the callee; it expects no answer. */
export function asksToWait(text: string, phrases: readonly AnsweringMachinePhrases[]): boolean {
  const words = wordsOf(text);
  return phrases.some((language) => matchesAnyPhrase(words, language.pleaseWait));
}

function classifySound({
  beep,
  sitHeard,
  turnMs,
  turnEnded,
  answersAgent,
}: AnswerEvidence): AnswerClassification | null {
  if (beep) return { type: 'voicemail', playsMessage: true, reason: 'a beep' };
  if (sitHeard) return { type: 'unknown', playsMessage: true, reason: 'special information tones' };
  if (turnMs !== null && turnMs > MONOLOGUE_MS_MIN && !turnEnded && !answersAgent) {
    return { type: 'voicemail', playsMessage: true, reason: 'a monologue' };
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
    if (answersAgent) return { type: 'human', playsMessage: false, reason: 'a turn that answers the agent' };
    if (turnMs <= SHORT_GREETING_MS_MAX) return { type: 'human', playsMessage: false, reason: 'a short greeting' };
    return { type: 'unknown', playsMessage: false, reason: 'a long greeting without words of a machine' };
  }
  if (sinceAnswerMs < CLASSIFICATION_MS_MAX) return null;
  return { type: 'unknown', playsMessage: false, reason: 'nothing that decides' };
}
