import type { RuleStep } from '../core/rule-step.ts';
import { changeReply, speakSegment } from './reply.ts';
import { isVoicedAhead } from './withheld-reply.ts';

/**
 * Longest first clause whose voice is fetched ahead, in characters: the provider charges as much for audio that is
 * never heard.
 */
const CLAUSE_CHARACTERS_MAX = 200;
/** After this many fetched clauses that were not heard, the call fetches no more: its user goes on too often. */
const DISCARDED_MAX = 10;

/**
 * Keeps a sentence until the end of the turn is certain. The voice gets the first clause at once, and playback is paused:
 * its audio waits in the playout. The history has it only once the reply is released.
 */
export function withholdSentence(step: RuleStep, item: number, text: string): void {
  const { eager, reply } = step.context;
  if (reply === null) return;
  const isFirst = reply.segments.length === 0 && reply.withheldSentences.length === 0;
  const isBounded = text.length <= CLAUSE_CHARACTERS_MAX && eager.discardedClauses < DISCARDED_MAX;
  const isVoiced = reply.pending?.phase === 'ahead' && isFirst && isBounded;
  changeReply(step, { withheldSentences: [...reply.withheldSentences, { item, text, isVoiced }] });
  if (!isVoiced) return;
  step.command({ type: 'playout.pause' });
  speakSegment(step, item, text, { isInHistory: true });
}

/** The user goes on: what the voice was given ahead is never heard. */
export function countDiscardedClause(step: RuleStep): void {
  const { eager } = step.context;
  if (isVoicedAhead(step.context)) step.change({ eager: { ...eager, discardedClauses: eager.discardedClauses + 1 } });
}
