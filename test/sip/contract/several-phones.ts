import { expect } from 'vitest';
import { SipPhone } from '../../sip-endpoint/sip-phone.ts';
import type { ContractServer } from './server-under-contract.ts';

/** The phones of concurrent tests, which share one server. */
export class SeveralPhones {
  readonly #phones: SipPhone[] = [];

  async open({ sip }: ContractServer): Promise<SipPhone> {
    const phone = await SipPhone.open(sip);
    this.#phones.push(phone);
    return phone;
  }

  close(): void {
    for (const phone of this.#phones) phone.close();
  }

  expectNoFaults(): void {
    expect(this.#phones.flatMap(({ faults }) => faults)).toEqual([]);
  }
}
