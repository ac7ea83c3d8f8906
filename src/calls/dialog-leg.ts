import type { MediaLeg } from '../../sip/media-worker/media-plane.ts';
import type { RtpSession } from '../../sip/rtp/rtp-session.ts';
import type { DialogRecovery, SipDialog } from '../../sip/signalling/signalling.ts';
import type { Bridging } from './bridge.ts';
import type { LegEvents } from './leg-events.ts';

/** What an SDP offer inside the dialog leads to. */
export type Reoffer = (
  offer: string,
) =>
  | { readonly ok: true; readonly answer: string; readonly session: RtpSession }
  | { readonly ok: false; readonly status: number };

export interface DialogOptions {
  readonly media: MediaLeg;
  readonly reoffer: Reoffer;
  /** The dialog stands. Called again when what a BYE of another process needs has changed. */
  readonly onDialog: (dialog: SipDialog) => void;
  /** The server died and took the dialog: the peer still waits for a BYE. */
  readonly onLost: (recovery: DialogRecovery) => void;
  /** null for a leg that is itself one side of a bridge. */
  readonly bridging: Bridging | null;
}

/** The part of a leg that is the same whoever called whom: what happens once its dialog stands. */
export function followDialog(dialog: SipDialog, events: LegEvents, options: DialogOptions): void {
  const { media, reoffer } = options;
  let held = false;
  options.onDialog(dialog);
  dialog.onOffer((offer) => {
    const result = reoffer(offer);
    if (!result.ok) return { refuse: result.status };
    media.configure(result.session);
    options.onDialog(dialog);
    const nowHeld = result.session.direction !== 'sendrecv';
    if (nowHeld !== held) {
      held = nowHeld;
      events.tell({ type: held ? 'held' : 'resumed' });
    }
    return { sdp: result.answer };
  });
  dialog.onEnded((cause) => {
    const causes = {
      remote_bye: 'remote_bye',
      local_bye: 'local_bye',
      lost: 'sip_error',
      timeout: 'sip_error',
    } as const;
    const recovery = cause === 'lost' ? dialog.recovery() : null;
    if (recovery !== null) options.onLost(recovery);
    events.tell({ type: 'ended', cause: causes[cause] });
  });
}
