import { parseAddressList } from '../message/name-address.ts';
import { getParameter } from '../message/parameters.ts';
import { parseMessage } from '../message/parse-message.ts';
import type { SrfResult } from './srf-client.ts';

/** Contacts that are tried; a callee rarely has more than two. */
const CONTACTS_MAX = 5;
/** The statuses whose Contact holds where the callee can be reached (RFC 3261 §21.3). 305 names a proxy, 380 another service. */
const REDIRECTS: readonly number[] = [300, 301, 302];

/** The Contact URIs of a redirect by falling `q` (RFC 3261 §8.1.3.4), in the order of the response where it is equal; [] without any. */
export function redirectContacts({ raw, status }: Pick<SrfResult, 'raw' | 'status'>): readonly string[] {
  if (!REDIRECTS.includes(status)) return [];
  const parsed = parseMessage(new TextEncoder().encode(raw));
  const contacts = parsed.ok ? parseAddressList(parsed.message.headers, 'Contact') : null;
  return (contacts ?? [])
    .map(({ uri, parameters }) => ({ uri, q: Number(getParameter(parameters, 'q') ?? 1) || 0 }))
    .sort((contact, other) => other.q - contact.q)
    .slice(0, CONTACTS_MAX)
    .map(({ uri }) => uri);
}
