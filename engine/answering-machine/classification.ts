import { type AnsweringPhrases, saysOneOf } from '../languages/answering-machine-phrases.ts';
import { wordsOf } from '../languages/words.ts';
import type { AnswerType } from '../ports/answer-type.ts';

/** After so long without anything that decides, it is `unknown` who answered; from the answer. */
export const ANSWER_BOUND_MS = 4_000;
/** A person says a word or a name and waits; whoever talks for longer in one go may be a machine. */
export const SHORT_GREETING_MS = 2_500;
/** Nobody who picked up a phone greets for so long in one go: a machine, whatever it says. */
const MONOLOGUE_MS = 7_000;

/** What is known of whoever answered, at some moment of the call's beginning. */
export interface AnswerEvidence {
  readonly phrases: readonly AnsweringPhrases[];
  /** All words heard since the answer. */
  readonly text: string;
  readonly beep: boolean;
  readonly sit: boolean;
  readonly sinceAnswerMs: number;
  /** How long the turn of whoever answered has gone on; null where nothing was said in it. */
  readonly turnMs: number | null;
  /** Its end was found: silence, as of one who waits for an answer. */
  readonly turnEnded: boolean;
  /** The agent was heard before that turn began. */
  readonly answersAgent: boolean;
}

export interface AnswerVerdict {
  readonly type: AnswerType;
  /** It goes on by itself and hears nobody: nothing is said over it. */
  readonly isMachine: boolean;
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
export function judgeAnswer(evidence: AnswerEvidence): AnswerVerdict | null {
  const byWords = machineByWords(evidence.text, evidence.phrases);
  // Behind a network's announcement there may be a voicemail.
  if (byWords !== null && !(evidence.beep && byWords.type === 'unknown')) return byWords;
  return machineBySound(evidence) ?? byGreeting(evidence);
}

/** What the words alone tell; null where no machine's stand in them. */
export function machineByWords(text: string, phrases: readonly AnsweringPhrases[]): AnswerVerdict | null {
  const words = wordsOf(text);
  const says = (kind: keyof AnsweringPhrases) => phrases.some((language) => saysOneOf(words, language[kind]));
  if (says('screening')) return { type: 'call_screening', isMachine: true, reason: 'words of a screening' };
  if (says('recording')) return { type: 'voicemail', isMachine: true, reason: 'words of a recording' };
  if (says('menu')) return { type: 'ivr', isMachine: true, reason: 'words of a menu' };
  if (says('absence')) return { type: 'voicemail', isMachine: true, reason: 'words of absence' };
  if (says('announcement')) return { type: 'unknown', isMachine: true, reason: 'words of an announcement' };
  return null;
}

/** Somebody is being fetched: what says so waits for no answer. */
export function saysToHold(text: string, phrases: readonly AnsweringPhrases[]): boolean {
  const words = wordsOf(text);
  return phrases.some((language) => saysOneOf(words, language.hold));
}

function machineBySound({ beep, sit, turnMs, turnEnded, answersAgent }: AnswerEvidence): AnswerVerdict | null {
  if (beep) return { type: 'voicemail', isMachine: true, reason: 'a beep' };
  if (sit) return { type: 'unknown', isMachine: true, reason: 'special information tones' };
  if (turnMs !== null && turnMs > MONOLOGUE_MS && !turnEnded && !answersAgent) {
    return { type: 'voicemail', isMachine: true, reason: 'a monologue' };
  }
  return null;
}

function byGreeting({ turnMs, turnEnded, answersAgent, sinceAnswerMs }: AnswerEvidence): AnswerVerdict | null {
  if (turnMs !== null && turnEnded) {
    if (answersAgent) return { type: 'human', isMachine: false, reason: 'a turn that answers the agent' };
    if (turnMs <= SHORT_GREETING_MS) return { type: 'human', isMachine: false, reason: 'a short greeting' };
    return { type: 'unknown', isMachine: false, reason: 'a long greeting without words of a machine' };
  }
  if (sinceAnswerMs < ANSWER_BOUND_MS) return null;
  return { type: 'unknown', isMachine: false, reason: 'nothing that decides' };
}
