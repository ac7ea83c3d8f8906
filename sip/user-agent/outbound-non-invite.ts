import { setHeader } from '../message/headers.ts';
import type { SipRequest, SipResponse } from '../message/sip-message.ts';
import type { TransactionFailure } from '../transaction/state-machine.ts';
import { SILENT_HOP_MS } from '../transaction/timer-values.ts';
import { type Hops, nextHops, type Origin } from '../transport/transport-address.ts';
import { localFinalResponse, localOrigin } from './local-final-response.ts';
import { hopsOfTransaction } from './resolve-hops.ts';
import type { UserAgentCore } from './user-agent-core.ts';

const SERVICE_UNAVAILABLE = 503;

export interface OutboundNonInviteOptions {
  readonly core: UserAgentCore;
  /** Receives the provisional responses except 100, and one final response. Without one from the network, it is made here. */
  readonly onResponse: (response: SipResponse, origin: Origin) => void;
}

/** A non-INVITE request outside any dialog, sent to one server after another until one responds (RFC 3263 §4.3). */
export class OutboundNonInvite {
  readonly #options: OutboundNonInviteOptions;
  #answered = false;
  /** The last request; responses to earlier ones are ignored. */
  #current: SipRequest | null = null;

  constructor(options: OutboundNonInviteOptions) {
    this.#options = options;
  }

  /** Returns the id of the first transaction; null if the transaction table is full, or the request has no valid Via. */
  start(request: SipRequest, hops: Hops): string | null {
    const { core } = this.#options;
    this.#current = request;
    const next = nextHops(hops);
    let stopSilentHopTimer = () => {};
    const sendToNextHop = (): boolean => {
      stopSilentHopTimer();
      if (this.#current !== request || this.#answered || next === null) return false;
      const via = core.identity.via(next[0], core.newId());
      return this.start({ ...request, headers: setHeader(request.headers, 'Via', via) }, next) !== null;
    };
    const transaction = core.transactions.createClient(request, hopsOfTransaction(core.isConcealed, hops), {
      onResponse: (response, origin) => {
        stopSilentHopTimer();
        if (response.status !== SERVICE_UNAVAILABLE || !sendToNextHop()) this.#deliver(request, response, origin);
      },
      isConcealed: core.isConcealed(hops[0].address),
      onFailed: (cause: TransactionFailure, detail: string) => {
        if (sendToNextHop()) return;
        this.#deliver(request, localFinalResponse(request, cause, detail), localOrigin(hops[0]));
      },
    });
    if (transaction !== null && next !== null)
      stopSilentHopTimer = core.clock.after(SILENT_HOP_MS, () => void sendToNextHop());
    return transaction?.id ?? null;
  }

  #deliver(request: SipRequest, response: SipResponse, origin: Origin): void {
    if (this.#answered || request !== this.#current || response.status === 100) return;
    this.#answered = response.status >= 200;
    this.#options.onResponse(response, origin);
  }
}
