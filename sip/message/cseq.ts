import { isToken } from './token.ts';

/** The CSeq header (RFC 3261 §20.16). */
export interface CSeq {
  readonly number: number;
  readonly method: string;
}

/** The sequence number must be less than 2^31 (RFC 3261 §8.1.1.5). */
const CSEQ_NUMBER_MAX = 2 ** 31 - 1;

export function parseCSeq(value: string): CSeq | null {
  const match = /^(\d{1,20})[ \t]+(\S+)$/.exec(value);
  const number = Number(match?.[1]);
  const method = match?.[2];
  if (method === undefined || !isToken(method) || number > CSEQ_NUMBER_MAX) return null;
  return { number, method };
}

export function formatCSeq(cseq: CSeq): string {
  return `${cseq.number} ${cseq.method}`;
}
