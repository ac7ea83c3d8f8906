import type { OutboundAttempt } from '../../../sip/signalling/signalling.ts';

/**
 * Releases the trunk's capacity when the attempt fails, its dialog ends, or `begin` throws. Throws what `begin` throws.
 */
export function withCapacityRelease(begin: () => OutboundAttempt, release: () => void): OutboundAttempt {
  try {
    const attempt = begin();
    void attempt.outcome.then((outcome) => {
      if (outcome.type === 'answered') outcome.dialog.onEnded(release);
      else release();
    });
    return attempt;
  } catch (error) {
    release();
    throw error;
  }
}
