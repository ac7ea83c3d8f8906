import type { CallControl } from '../../engine/ports/call-control.ts';
import type { RtpSession } from '../../sip/rtp/rtp-session.ts';
import type { InboundInvite, SipDialog } from '../../sip/signalling/signalling.ts';
import { type DialogOptions, followDialog } from './dialog-leg.ts';
import { LegEvents } from './leg-events.ts';
import { transferLeg } from './leg-transfer.ts';

/** Sent to a caller whose call was ended before it was answered (RFC 3261 §21.4.18: temporarily unavailable). */
const ENDED_WHILE_RINGING = 480;

export interface InboundLegOptions extends DialogOptions {
  readonly invite: InboundInvite;
  /** Made from the offer before the leg existed. */
  readonly answer: { readonly sdp: string; readonly session: RtpSession };
}

/** The leg of a caller who dialled us. */
export function createInboundLeg(options: InboundLegOptions): CallControl {
  const { invite, media, answer } = options;
  const events = new LegEvents();
  let state: 'ringing' | 'answering' | 'confirmed' = 'ringing';
  let hangUpWanted = false;
  let dialog: SipDialog | null = null;

  invite.onCancelled(() => events.tell({ type: 'ended', cause: 'remote_cancel', sipStatus: 487 }));

  const confirm = (confirmed: SipDialog | null) => {
    if (confirmed === null) {
      events.tell({ type: 'ended', cause: 'remote_cancel', sipStatus: 487 });
      return;
    }
    dialog = confirmed;
    state = 'confirmed';
    followDialog(confirmed, events, options);
    if (hangUpWanted) void confirmed.bye();
  };

  return {
    answer() {
      // A CANCEL is told a moment after it came: by then a call that is over would have counted as answered.
      if (state !== 'ringing' || events.ended || invite.cancelled) return;
      state = 'answering';
      // Packets flow with the 200, not with the ACK: the caller hears us at once, and we hear the first word.
      media.configure(answer.session);
      invite.accept(answer.sdp).then(confirm, () => events.tell({ type: 'ended', cause: 'sip_error' }));
      events.tell({ type: 'answered' });
    },
    hangUp() {
      if (hangUpWanted) return;
      hangUpWanted = true;
      if (state === 'ringing') {
        invite.refuse(ENDED_WHILE_RINGING);
        events.tell({ type: 'ended', cause: 'canceled', sipStatus: ENDED_WHILE_RINGING });
      }
      // While answering, the BYE waits for the ACK (RFC 3261 §15): `confirm` sends it.
      if (dialog !== null) void dialog.bye();
    },
    transfer: (order) => transferLeg(order, dialog, events, options.bridging),
    onEvent: (listener) => events.listen(listener),
  };
}
