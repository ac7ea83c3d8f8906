import { ALLOW } from '../message/capabilities.ts';
import { SDP_TYPE, sdpOfBody } from '../sdp/sdp-body.ts';
import { ENCODED_BODY_REFUSAL, isEncoded } from './body-encoding.ts';
import { sessionAnswer } from './session-timer-headers.ts';
import type { SrfDialog, SrfHandler, SrfRequest, SrfResponse } from './srf-client.ts';
import { readMessage } from './srf-message.ts';

/** The owner's response to an offer: the SDP answer, or a status that refuses. */
export type ReofferListener = (offer: string) => { readonly sdp: string } | { readonly refuse: number };

/** Not Acceptable Here: the response to an offer without a listener. */
const NOT_ACCEPTABLE_HERE = 488;
const METHOD_NOT_ALLOWED = 405;

/** The owner's part in a re-INVITE without an offer. */
export interface LateOfferListener {
  /** The offer that its 200 carries. */
  offer(): string;
  /** The SDP of the ACK. At most once per offer. */
  answered(answer: string): void;
}

/**
 * Answers re-INVITE (RFC 3261 §14.2) and UPDATE (RFC 3311 §5.2). A re-INVITE without an offer gets the owner's offer, and
 * its ACK carries the answer; without one, the session does not change (RFC 3264 §8). An UPDATE without an offer only
 * refreshes the dialog.
 */
export function answerReoffer(
  dialog: SrfDialog,
  answerOffer: (offer: string) => ReturnType<ReofferListener> | null,
  late: LateOfferListener,
  onLocalSdp: (sdp: string) => void,
): SrfHandler {
  return (req, res) => {
    if (req.body === '') {
      if (req.method === 'UPDATE') return res.send(200, undefined, { headers: acceptHeaders(req) });
      dialog.once('ack', (ack) => {
        if (ack.body !== '') late.answered(ack.body);
      });
      return sendSdp(req, res, late.offer());
    }
    const message = readMessage(req);
    if (message !== null && isEncoded(message)) {
      return res.send(ENCODED_BODY_REFUSAL.status, undefined, { headers: { ...ENCODED_BODY_REFUSAL.headers } });
    }
    const offer = sdpOfBody(req.get('Content-Type') ?? SDP_TYPE, req.body);
    const outcome = (offer === null ? null : answerOffer(offer)) ?? { refuse: NOT_ACCEPTABLE_HERE };
    if ('refuse' in outcome) return res.send(outcome.refuse, undefined, {});
    onLocalSdp(outcome.sdp);
    sendSdp(req, res, outcome.sdp);
  };
}

/** Without Content-Type, which both servers add: a drachtio-server would send it twice. */
function sendSdp(req: SrfRequest, res: SrfResponse, sdp: string): void {
  res.send(200, undefined, { body: sdp, headers: acceptHeaders(req) });
}

function acceptHeaders(req: SrfRequest): Record<string, string> {
  const request = readMessage(req);
  return { Allow: ALLOW, ...(request?.kind === 'request' && sessionAnswer(request)) };
}

/** For methods that the library would accept although they have no effect. */
export function refuseMethod(_req: SrfRequest, res: SrfResponse): void {
  res.send(METHOD_NOT_ALLOWED, undefined, { headers: { Allow: ALLOW } });
}
