import type { CallControl } from '../../../engine/ports/call-control.ts';
import type { InboundInvite, SipDialog } from '../../../sip/signalling/signalling.ts';
import { type DialogOptions, followDialog } from './dialog-leg.ts';
import { LegEvents } from './leg-events.ts';
import { transferLeg } from './refer-or-bridge.ts';

/** Response to a call that ended before it was answered (RFC 3261 §21.4.18: Temporarily Unavailable). */
const ENDED_WHILE_RINGING = 480;

export interface InboundLegOptions extends DialogOptions {
  /** Its offer, if it has one, was found acceptable. */
  readonly invite: InboundInvite;
  /**
   * Whether a trunk lists the source address, or the caller proved a password. Otherwise the address may be forged: our 200
   * makes the call `accepted`. It is `answered` once an ACK or audio of the caller proves that the 200 arrived. Audio to an
   * address that is not the source's is bounded.
   */
  readonly isSourceTrusted: boolean;
}

/** The leg of an inbound call. */
export function createInboundLeg(options: InboundLegOptions): CallControl {
  const { invite, isSourceTrusted, session } = options;
  const events = new LegEvents();
  let state: 'ringing' | 'answering' | 'confirmed' = 'ringing';
  let hangUpWanted = false;
  let dialog: SipDialog | null = null;

  invite.onCancelled(() => events.emit({ type: 'ended', cause: 'remote_cancel', sipStatus: 487 }));

  const confirm = (confirmed: SipDialog | null) => {
    if (confirmed === null) {
      events.emit({ type: 'ended', cause: 'remote_cancel', sipStatus: 487 });
      return;
    }
    dialog = confirmed;
    state = 'confirmed';
    followDialog(confirmed, events, options);
    if (hangUpWanted) return void confirmed.bye();
    session.sourceVerified(onSourceVerified);
    if (invite.offer === null) takeLateAnswer(confirmed);
  };

  // With a late offer the address of the caller comes with the ACK (RFC 3264 §4): only then the call counts as answered.
  const takeLateAnswer = (confirmed: SipDialog) => {
    if (invite.answer !== null && session.readAnswer(invite.answer)) return begin();
    // A BYE that the peer sends in place of the ACK is reported instead: it is more precise.
    queueMicrotask(() => {
      events.emit({ type: 'ended', cause: 'sip_error', detail: 'the ACK had no SDP answer that could be used' });
      void confirmed.bye();
    });
  };

  const begin = () => {
    events.emit({ type: 'answered' });
    session.reportHold(events);
  };

  const onSourceVerified = () => {
    if (invite.offer !== null) begin();
  };
  if (!isSourceTrusted) session.distrustSource(events, onSourceVerified);

  /** The SDP of the 200; null if the offer has become unacceptable, which is reported. */
  const describe = (): string | null => {
    if (invite.offer === null) return session.offer();
    // Packets flow with the 200, not with the ACK: the caller hears us at once, and we hear the first word.
    const answer = session.answer(invite.offer);
    if (!('refuse' in answer)) return answer.sdp;
    invite.refuse(answer.refuse);
    events.emit({
      type: 'ended',
      cause: 'sip_error',
      sipStatus: answer.refuse,
      detail: 'the SDP offer was no longer acceptable',
    });
    return null;
  };

  return {
    answer() {
      // A CANCEL is reported in a microtask. Until then a cancelled call must not count as answered.
      if (state !== 'ringing' || events.ended || invite.cancelled) return;
      const sdp = describe();
      if (sdp === null) return;
      state = 'answering';
      invite.accept(sdp, options.onDialog).then(confirm, (error: unknown) => {
        const detail = error instanceof Error ? error.message : String(error);
        events.emit({ type: 'ended', cause: 'sip_error', detail });
      });
      if (invite.offer === null) return;
      if (isSourceTrusted) begin();
      else events.emit({ type: 'accepted' });
    },
    hangUp() {
      if (hangUpWanted) return;
      hangUpWanted = true;
      if (state === 'ringing') {
        invite.refuse(ENDED_WHILE_RINGING);
        events.emit({ type: 'ended', cause: 'canceled', sipStatus: ENDED_WHILE_RINGING });
      }
      // While answering, the BYE waits for the ACK (RFC 3261 §15): `confirm` sends it.
      if (dialog !== null) void dialog.bye();
    },
    transfer: (request) => transferLeg(request, dialog, events, options),
    onEvent: (listener) => events.listen(listener),
  };
}
