import type { CallContext } from '../core/context.ts';

/** The model was asked, and the user may still go on: nothing of the answer may be heard. */
export function isReplyWithheld({ reply }: CallContext): boolean {
  return reply?.pending != null && reply.pending.phase !== 'ended';
}

/** The voice has a clause of an answer that may not be heard yet: playback is paused. */
export function isVoicedAhead({ reply }: CallContext): boolean {
  return reply?.pending?.phase === 'ahead' && reply.withheldSentences.some(({ isVoiced }) => isVoiced);
}
