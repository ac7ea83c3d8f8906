/** A REGISTER with one contact, as a registrar reads it. */
export interface BindingRequest {
  readonly addressOfRecord: string;
  readonly contact: string;
  readonly sipCallId: string;
  readonly cseq: number;
  /** 0 removes the binding. */
  readonly expiresSeconds: number;
}

interface Binding {
  readonly sipCallId: string;
  readonly cseq: number;
  readonly expiresMs: number;
}

/** The bindings of a registrar (RFC 3261 §10.3): several contacts for one address of record, each until it expires or is removed. */
export class RegistrarBindings {
  readonly #contactsMax: number;
  readonly #nowMs: () => number;
  readonly #bindings = new Map<string, Map<string, Binding>>();

  /** @param contactsMax more contacts for one address of record are refused with 403 */
  constructor(nowMs: () => number, contactsMax = Number.POSITIVE_INFINITY) {
    this.#nowMs = nowMs;
    this.#contactsMax = contactsMax;
  }

  /** Returns the SIP status of the response. */
  process({ addressOfRecord, contact, cseq, expiresSeconds, sipCallId }: BindingRequest): number {
    const bindings = this.#valid(addressOfRecord);
    const before = bindings.get(contact);
    // §10.3, step 7: within one Call-ID the order of the requests counts.
    if (before?.sipCallId === sipCallId && cseq <= before.cseq) return 500;
    if (expiresSeconds === 0) bindings.delete(contact);
    else if (before === undefined && bindings.size >= this.#contactsMax) return 403;
    else bindings.set(contact, { sipCallId, cseq, expiresMs: this.#nowMs() + expiresSeconds * 1_000 });
    return 200;
  }

  /** The contacts that calls for the address of record are sent to, with what is left of their time in seconds. */
  contacts(addressOfRecord: string): ReadonlyMap<string, number> {
    const nowMs = this.#nowMs();
    return new Map(
      [...this.#valid(addressOfRecord)].map(([contact, { expiresMs }]) => {
        return [contact, Math.round((expiresMs - nowMs) / 1_000)];
      }),
    );
  }

  #valid(addressOfRecord: string): Map<string, Binding> {
    const bindings = this.#bindings.get(addressOfRecord) ?? new Map<string, Binding>();
    this.#bindings.set(addressOfRecord, bindings);
    for (const [contact, { expiresMs }] of bindings) if (expiresMs <= this.#nowMs()) bindings.delete(contact);
    return bindings;
  }
}
