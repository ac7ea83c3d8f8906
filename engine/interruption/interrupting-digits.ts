import type { CallContext } from '../core/context.ts';
import { hasInterruptingWords } from './interrupting-words.ts';
import { isInterruptible } from './interruption.ts';

/** Digits and texts interrupt an interruptible reply. Words that already interrupt it take precedence. */
export function typedEntryInterrupts(context: CallContext): boolean {
  return context.dtmf.entries.length > 0 && isInterruptible(context) && !hasInterruptingWords(context);
}
