import type { CallControl, LegEndCause } from '../../../engine/ports/call-control.ts';
import type { OutboundAttempt, OutboundOutcome, SipDialog } from '../../../sip/signalling/signalling.ts';
import { causeOfStatus } from './cause-of-sip-status.ts';
import { type DialogOptions, followDialog } from './dialog-leg.ts';
import { LegEvents } from './leg-events.ts';
import { transferLeg } from './refer-or-bridge.ts';

const UNUSABLE_ANSWER = 'the SDP answer could not be used';
const RING_TIMEOUT = 'no answer within the ring timeout';

export interface OutboundLegOptions extends DialogOptions {
  readonly attempt: OutboundAttempt;
}

/** The leg of an outbound call. */
export function createOutboundLeg(options: OutboundLegOptions): CallControl {
  const { attempt, session } = options;
  const events = new LegEvents();
  let dialog: SipDialog | null = null;
  let hangUpWanted = false;

  attempt.onRinging(() => events.emit({ type: 'ringing' }));

  const answered = (confirmed: SipDialog, answer: string) => {
    dialog = confirmed;
    followDialog(confirmed, events, options);
    const understood = session.readAnswer(answer);
    if (!understood) events.emit({ type: 'ended', cause: 'sip_error', detail: UNUSABLE_ANSWER });
    if (!understood || hangUpWanted) {
      void confirmed.bye();
      return;
    }
    events.emit({ type: 'answered' });
    session.reportHold(events);
  };

  const finish = (outcome: OutboundOutcome) => {
    if (outcome.type === 'answered') answered(outcome.dialog, outcome.answer);
    else events.emit(endOf(outcome));
  };
  attempt.outcome.then(finish, (error: unknown) => {
    events.emit({ type: 'ended', cause: 'sip_error', detail: String(error) });
  });

  return {
    answer() {},
    hangUp() {
      if (hangUpWanted) return;
      hangUpWanted = true;
      if (dialog === null) attempt.cancel();
      else void dialog.bye();
    },
    transfer: (request) => transferLeg(request, dialog, events, options),
    onEvent: (listener) => events.listen(listener),
  };
}

/** Maps the outcome of an INVITE to the end of the leg. */
function endOf(outcome: Exclude<OutboundOutcome, { type: 'answered' }>): {
  type: 'ended';
  cause: LegEndCause;
  sipStatus?: number;
  detail?: string;
} {
  switch (outcome.type) {
    case 'timeout':
      return { type: 'ended', cause: 'no_answer', detail: RING_TIMEOUT };
    case 'cancelled':
      return { type: 'ended', cause: 'canceled' };
    case 'redirected':
      return {
        type: 'ended',
        cause: 'redirected',
        sipStatus: outcome.status,
        detail: [`SIP ${outcome.status}`, outcome.detail ?? []].flat().join(': '),
      };
    case 'refused':
      return outcome.status === null
        ? { type: 'ended', cause: 'sip_error', detail: outcome.reason }
        : {
            type: 'ended',
            cause: causeOfStatus(outcome.status),
            sipStatus: outcome.status,
            detail: `SIP ${outcome.status} ${outcome.reason}`.trimEnd(),
          };
  }
}
