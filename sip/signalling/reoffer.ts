import type { SrfDialog, SrfHandler, SrfRequest, SrfResponse } from './srf-client.ts';

/** What the dialog's owner makes of an offer: the answer to send, or the status to refuse with. */
export type Reoffer = (offer: string) => { readonly sdp: string } | { readonly refuse: number };

/** What a peer may send us (RFC 3261 §20.5). */
export const ALLOW = 'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE, NOTIFY';

/** Not Acceptable Here: the offer is not ours to take. */
const NOT_ACCEPTABLE_HERE = 488;
const METHOD_NOT_ALLOWED = 405;

/**
 * Answers re-INVITE (RFC 3261 §14.2) and UPDATE (RFC 3311 §5.2). One without an offer is answered with our last
 * description: as the offer of a re-INVITE, whose answer then comes with the ACK and is shown to the owner like an
 * offer, for it tells where media goes now; and with nothing for an UPDATE, which then only refreshes the dialog.
 */
export function answerReoffer(
  dialog: SrfDialog,
  ask: (offer: string) => ReturnType<Reoffer> | null,
  localSdp: () => string,
  onLocalSdp: (sdp: string) => void,
): SrfHandler {
  return (req, res) => {
    if (req.body === '') {
      if (req.method === 'UPDATE') return res.send(200, undefined, {});
      dialog.once('ack', (ack) => {
        if (ack.body !== '') ask(ack.body);
      });
      return sendSdp(res, localSdp());
    }
    const outcome = ask(req.body) ?? { refuse: NOT_ACCEPTABLE_HERE };
    if ('refuse' in outcome) return res.send(outcome.refuse, undefined, {});
    onLocalSdp(outcome.sdp);
    sendSdp(res, outcome.sdp);
  };
}

function sendSdp(res: SrfResponse, sdp: string): void {
  res.send(200, undefined, { body: sdp, headers: { 'Content-Type': 'application/sdp', Allow: ALLOW } });
}

/** For requests that the library would accept by itself though nothing is done with them. */
export function refuseMethod(_req: SrfRequest, res: SrfResponse): void {
  res.send(METHOD_NOT_ALLOWED, undefined, { headers: { Allow: ALLOW } });
}
