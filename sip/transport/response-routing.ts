import { canonicalName, getListValues, removeHeader } from '../message/headers.ts';
import { getParameter, setParameter } from '../message/parameters.ts';
import type { SipHeader } from '../message/sip-message.ts';
import { formatVia, parseVia, receivedOf, rportOf, type Via } from '../message/via.ts';
import { DEFAULT_SIP_PORT, DEFAULT_SIPS_PORT, type Hop, type Hops } from './transport-address.ts';

/**
 * Sets `received` and `rport` in the topmost Via (RFC 3261 §18.2.1, RFC 3581 §4), and writes one Via per line.
 */
export function stampVia(headers: readonly SipHeader[], origin: Hop): SipHeader[] {
  const [top, ...others] = getListValues(headers, 'Via');
  const via = parseVia(top ?? '');
  if (via === null) return [...headers];
  const first = headers.findIndex(({ name }) => canonicalName(name) === 'via');
  const vias = [formatVia(stamped(via, origin)), ...others].map((value) => ({ name: 'Via', value }));
  return [...headers.slice(0, first), ...vias, ...removeHeader(headers.slice(first + 1), 'Via')];
}

function stamped(via: Via, origin: Hop): Via {
  const wantsPort = rportOf(via) !== null;
  const host = via.host.replace(/^\[|\]$/g, '');
  if (host === origin.address && !wantsPort && getParameter(via.parameters, 'received') === null) return via;
  const received = setParameter(via.parameters, 'received', origin.address);
  return { ...via, parameters: wantsPort ? setParameter(received, 'rport', String(origin.port)) : received };
}

/**
 * The hops of a response (RFC 3261 §18.2.2, RFC 3581 §4). Over TCP and TLS: the connection, otherwise the sent-by port. Over
 * UDP: the source port if the peer sent `rport`, otherwise the sent-by port of the source address.
 */
export function responseHops(headers: readonly SipHeader[], origin: Hop): Hops {
  const via = parseVia(getListValues(headers, 'Via')[0] ?? '');
  const { transport, port } = origin;
  const sentByPort = via?.port ?? (transport === 'tls' ? DEFAULT_SIPS_PORT : DEFAULT_SIP_PORT);
  const address = via === null ? origin.address : (receivedOf(via) ?? origin.address);
  if (transport !== 'udp')
    return [
      { transport, address: origin.address, port },
      { transport, address, port: sentByPort },
    ];
  return [{ transport, address, port: via !== null && rportOf(via) !== null ? port : sentByPort }];
}
