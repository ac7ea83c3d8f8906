import type { RuleStep } from '../core/rule-step.ts';

/**
 * The words of this step ended before the first packet of the reply: they are late. The user has not spoken them over the
 * agent's speech.
 */
export function endedBeforeReply(step: RuleStep): boolean {
  const { event } = step;
  if (event.type !== 'transcriber.interim' && event.type !== 'transcriber.final' && event.type !== 'transcriber.turn')
    return false;
  const heardUs = firstPacketUs(step);
  return heardUs !== null && step.audioUs(event.words?.at(-1)?.endMs ?? event.endMs) <= heardUs;
}

/** Null before it. */
function firstPacketUs({ context }: RuleStep): number | null {
  const first = context.reply?.segments.find(({ playout }) => playout !== null);
  if (first?.playout == null) return null;
  const { pauses = [], startedUs } = first.playout;
  return pauses.reduce((us, { durationUs }) => us - durationUs, startedUs);
}
