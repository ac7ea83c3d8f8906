import type { OutboundAttempt } from '../../../sip/signalling/signalling.ts';

/**
 * An attempt whose place among a trunk's calls is given back once it has failed or its dialog has ended, or where it cannot
 * even begin. Throws what `begin` throws.
 */
export function countedAttempt(begin: () => OutboundAttempt, release: () => void): OutboundAttempt {
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
