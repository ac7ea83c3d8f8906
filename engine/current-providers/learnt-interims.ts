import type { RuleStep } from '../core/rule-step.ts';
import { changeTranscriberState } from './current-transcriber.ts';

/** A transcriber with interims sends one during words of this length, in ms; shorter words may have a final alone. */
export const WORDS_WITHOUT_INTERIM_MS = 800;

/** Learns from the events of the current transcriber whether it sends interims. */
export function learnInterims(step: RuleStep): void {
  const { event } = step;
  const { sendsInterims } = step.context.failover.transcriber;
  if (sendsInterims === true) return;
  if (event.type === 'transcriber.interim' || event.type === 'transcriber.turn')
    changeTranscriberState(step, { sendsInterims: true });
  else if (event.type === 'transcriber.final' && sendsInterims === null && event.text.trim() !== '') {
    const { words, startMs, endMs } = event;
    const lengthMs = (words.at(-1)?.endMs ?? endMs) - (words[0]?.startMs ?? startMs);
    if (lengthMs >= WORDS_WITHOUT_INTERIM_MS) changeTranscriberState(step, { sendsInterims: false });
  }
}
