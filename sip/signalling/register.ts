import { createDigestClient } from '../authentication/create-digest-client.ts';
import { getHeader, getListValues } from '../message/headers.ts';
import { parseNameAddress } from '../message/name-address.ts';
import { getParameter } from '../message/parameters.ts';
import { parseMessage } from '../message/parse-message.ts';
import type { SipHeader } from '../message/sip-message.ts';
import { formatUri } from '../message/uri.ts';
import { answerChallenge, isChallenge, repeatHeaders } from './answer-challenge.ts';
import { isConcealedFailure } from './concealed-failure.ts';
import { bracketed, checkedUri, encodeUser } from './invite-request.ts';
import { NO_ANSWER } from './no-answer.ts';
import { connectionName, type ServerLink } from './server-link.ts';
import type { RegisterOutcome, RegisterRequest } from './signalling.ts';
import { SignallingError } from './signalling-error.ts';
import type { SrfRequest, SrfResult } from './srf-client.ts';
import { proxiesOf, type TrunkProxy } from './trunk-proxies.ts';

const INTERVAL_TOO_BRIEF = 423;
/** Slightly longer than the server's own 64·T1 = 32 s (RFC 3261 §17.1.2.2). */
const ANSWER_TIMEOUT_MS = 33_000;

/** Sends a REGISTER, and once more for each challenge that can be answered. Never rejects. */
export async function sendRegister(link: ServerLink | null, registration: RegisterRequest): Promise<RegisterOutcome> {
  const exchange = createDigestClient(registration.credentials).exchange();
  let { cseq } = registration;
  const refused = (
    status: number | null,
    reason: string,
    retryAfterSeconds: number | null = null,
  ): RegisterOutcome => ({
    type: 'refused',
    status,
    reason,
    retryAfterSeconds,
    cseq,
  });
  if (link === null) return refused(null, 'no SIP server');
  try {
    const request = registerRequest(registration);
    const proxies = await proxiesOf(link, registration.trunk);
    if (typeof proxies === 'string') return refused(null, proxies);
    for (let headers = request.headers; ; cseq += 1) {
      const answer = await requestOnce(link, request.uri, headers, proxies[0]);
      if (typeof answer === 'string') return refused(null, answer);
      const { sent, result } = answer;
      const parsed = parseMessage(new TextEncoder().encode(result.raw));
      const received = parsed.ok ? parsed.message.headers : [];
      if (!isChallenge(result.status)) {
        const connection = link.server.onConnectionLost === undefined ? null : connectionOf(result);
        return outcomeOf(result.status, sent, received, registration, { cseq, connection });
      }
      const outcome = answerChallenge(exchange, sent, result);
      if (outcome.type === 'refused') return refused(result.status, outcome.reason);
      headers = { ...request.headers, ...repeatHeaders(sent), ...outcome.headers };
    }
  } catch (error) {
    if (error instanceof SignallingError) return refused(null, error.message);
    return refused(null, 'the SIP server was lost');
  }
}

function registerRequest({ trunk, credentials, sipCallId, cseq, expiresSeconds, contact }: RegisterRequest): {
  readonly uri: string;
  readonly headers: Record<string, string>;
} {
  const { port, transport } = trunk;
  const parameters = transport === 'udp' ? [] : [{ name: 'transport', value: transport }];
  const host = bracketed(trunk.host);
  const target = { scheme: 'sip', user: null, password: null, host, port, parameters, headers: [] } as const;
  const user = encodeUser(credentials.username);
  const address = checkedUri(`sip:${user}@${host}`);
  return {
    uri: checkedUri(formatUri(target)),
    headers: {
      'Call-ID': sipCallId,
      From: `<${address}>`,
      To: `<${address}>`,
      CSeq: `${cseq} REGISTER`,
      // The server fills in host, port and transport of our own Contact.
      Contact: `<${contact ?? `sip:${user}@localhost`}>`,
      Expires: String(expiresSeconds),
    },
  };
}

/** The final response to one REGISTER, or the reason for its absence as text. Throws without a connection. */
function requestOnce(
  link: ServerLink,
  uri: string,
  headers: Readonly<Record<string, string>>,
  proxy: TrunkProxy,
): Promise<{ readonly sent: SrfRequest; readonly result: SrfResult } | string> {
  return new Promise((resolve, reject) => {
    const finish = (answer: { readonly sent: SrfRequest; readonly result: SrfResult } | string): void => {
      clearTimeout(timeout);
      removeListener();
      resolve(answer);
    };
    const timeout = setTimeout(() => finish(NO_ANSWER), ANSWER_TIMEOUT_MS);
    const removeListener = link.onLost(() => finish('the SIP server was lost'));
    if (!link.alive) return;
    try {
      link.srf.request(uri, { method: 'REGISTER', headers: { ...headers }, ...proxy }, (error, sent) => {
        if (sent === undefined) return isConcealedFailure(link, proxy, null) ? undefined : finish(String(error));
        sent.on('response', (result) => {
          if (result.status >= 200 && !isConcealedFailure(link, proxy, result.status)) finish({ sent, result });
        });
      });
    } catch (error) {
      finish('the SIP server was lost');
      reject(error);
    }
  });
}

function outcomeOf(
  status: number,
  sent: SrfRequest,
  received: readonly SipHeader[],
  registration: RegisterRequest,
  { cseq, connection }: { readonly cseq: number; readonly connection: string | null },
): RegisterOutcome {
  if (status >= 200 && status < 300) {
    const contact = contactOf(sent);
    const expiresSeconds = grantedSeconds(contact, received, registration.expiresSeconds);
    return { type: 'registered', contact, expiresSeconds, cseq, connection };
  }
  const minimumSeconds = secondsOf(getHeader(received, 'Min-Expires'));
  if (status === INTERVAL_TOO_BRIEF && minimumSeconds !== null) return { type: 'too_brief', minimumSeconds, cseq };
  const retryAfterSeconds = secondsOf(getHeader(received, 'Retry-After'));
  return { type: 'refused', status, reason: `the trunk answered ${status}`, retryAfterSeconds, cseq };
}

function connectionOf({ protocol, source_address: address, source_port: port }: SrfResult): string | null {
  return protocol === 'udp' ? null : connectionName(protocol, address, port);
}

/** URI of the Contact as the server sent it; null if it cannot be read. */
function contactOf(sent: SrfRequest): string | null {
  const parsed = parseMessage(new TextEncoder().encode(sent.raw));
  const contact = parsed.ok ? getHeader(parsed.message.headers, 'Contact') : null;
  return parseNameAddress(contact ?? '')?.uri ?? null;
}

/** The expiry of our binding, otherwise of the whole response, otherwise the requested one (RFC 3261 §10.2.4). */
function grantedSeconds(contact: string | null, received: readonly SipHeader[], requestedSeconds: number): number {
  const bindings = getListValues(received, 'Contact').flatMap((value) => parseNameAddress(value) ?? []);
  const binding = bindings.find(({ uri }) => uri === contact) ?? (bindings.length === 1 ? bindings[0] : undefined);
  const ofBinding = binding === undefined ? null : secondsOf(getParameter(binding.parameters, 'expires'));
  return ofBinding ?? secondsOf(getHeader(received, 'Expires')) ?? requestedSeconds;
}

/** delta-seconds; a comment after them is ignored (RFC 3261 §20.33). */
function secondsOf(text: string | null): number | null {
  const digits = /^\s*(\d{1,9})(?:\s*[(;].*)?\s*$/.exec(text ?? '')?.[1];
  return digits === undefined ? null : Number(digits);
}
