import { parseCSeq } from '../../sip/message/cseq.ts';
import { getHeader } from '../../sip/message/headers.ts';
import { parseNameAddress } from '../../sip/message/name-address.ts';
import type { SipRequest } from '../../sip/message/sip-message.ts';
import { RegistrarBindings } from './registrar-bindings.ts';
import { SipCallee } from './sip-callee.ts';

/** A registrar over UDP without authentication, for REGISTERs with one contact each. It answers other requests with 200. */
export class Registrar {
  readonly peer: SipCallee;
  readonly #bindings = new RegistrarBindings(Date.now);

  private constructor(peer: SipCallee) {
    this.peer = peer;
    peer.onRequest = (request) => this.#answer(request);
  }

  static async open(): Promise<Registrar> {
    return new Registrar(await SipCallee.open());
  }

  /** The contacts of a user of this registrar. */
  contacts(user: string): readonly string[] {
    return [...this.#bindings.contacts(`sip:${user}@127.0.0.1`).keys()];
  }

  close(): void {
    this.peer.close();
  }

  #answer(request: SipRequest): void {
    if (request.method !== 'REGISTER') {
      this.peer.respond(request, 200, 'OK');
      return;
    }
    const of = (name: string) => getHeader(request.headers, name) ?? '';
    const addressOfRecord = parseNameAddress(of('To'))?.uri ?? '';
    const status = this.#bindings.process({
      addressOfRecord,
      contact: parseNameAddress(of('Contact'))?.uri ?? '',
      sipCallId: of('Call-ID'),
      cseq: parseCSeq(of('CSeq'))?.number ?? 0,
      expiresSeconds: Number(of('Expires')),
    });
    const contacts = [...this.#bindings.contacts(addressOfRecord)].map(([contact, seconds]) => {
      return { name: 'Contact', value: `<${contact}>;expires=${seconds}` };
    });
    this.peer.respond(request, status, 'Registrar', null, contacts);
  }
}
