import type { ChallengeOutcome, DigestExchange } from '../authentication/digest-client.ts';
import { formatCSeq, parseCSeq } from '../message/cseq.ts';
import { getHeader } from '../message/headers.ts';
import type { SrfMessage, SrfResult } from './srf-client.ts';
import { readMessage } from './srf-message.ts';

const UNAUTHORIZED = 401;
const PROXY_AUTHENTICATION_REQUIRED = 407;

export function isChallenge(status: number | null): boolean {
  return status === UNAUTHORIZED || status === PROXY_AUTHENTICATION_REQUIRED;
}

/**
 * The credentials for a challenged request, signed for the Request-URI that was actually sent: inside a dialog only the
 * server knows it.
 */
export function answerChallenge(exchange: DigestExchange, sent: SrfMessage, result: SrfResult): ChallengeOutcome {
  const request = readMessage(sent);
  const response = readMessage(result);
  if (request?.kind !== 'request' || response?.kind !== 'response') {
    return { type: 'refused', reason: 'malformed challenge' };
  }
  return exchange.challenged(response.status, response.headers, request);
}

/**
 * The headers that identify a repeated request outside a dialog: Call-ID, From with its tag, and the next CSeq (RFC
 * 3261 §8.1.3.5).
 */
export function repeatHeaders(sent: SrfMessage): Record<string, string> {
  const request = readMessage(sent);
  if (request === null) return {};
  const header = (name: string) => getHeader(request.headers, name) ?? '';
  const cseq = parseCSeq(header('CSeq'));
  if (cseq === null) return {};
  return {
    'Call-ID': header('Call-ID'),
    From: header('From'),
    CSeq: formatCSeq({ ...cseq, number: cseq.number + 1 }),
  };
}
