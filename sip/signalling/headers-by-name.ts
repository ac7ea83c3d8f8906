import type { SipHeader } from '../message/sip-message.ts';

/** Headers in the form that `drachtio-srf` takes. Of several with one name the last one stays. */
export function headersByName(headers: readonly SipHeader[]): Record<string, string> {
  return Object.fromEntries(headers.map(({ name, value }) => [name, value]));
}
