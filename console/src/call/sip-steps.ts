import type { Messages } from '../i18n/en.ts';

export interface SipStep {
  /** Line of the ladder, from 0. */
  readonly place: number;
  /** ms since the first message. */
  readonly atMs: number;
  /** Dialog of the call: `caller`, `callee`, `bridge`. */
  readonly leg: string;
  readonly isSent: boolean;
  readonly remote: string;
  /** Method or status, with its CSeq. */
  readonly message: string;
}

/** `      12.0 ms  caller  <──  udp 192.0.2.1:5060  INVITE … (CSeq 1 INVITE) +SDP` of `GET /v1/calls/{id}/sip-ladder`. */
const LINE = /^\s*([\d.]+) ms\s+(.+?)\s+(──>|<──)\s+(\S+ \S+)\s+(.*)$/;

export function sipSteps(ladder: string): readonly SipStep[] {
  return ladder.split('\n').flatMap((line, place) => {
    const [, at, leg, arrow, remote, message] = LINE.exec(line) ?? [];
    if (leg === undefined || remote === undefined || message === undefined) return [];
    return [{ place, atMs: Number(at), leg, isSent: arrow === '──>', remote, message }];
  });
}

/** The dialog of a message for people, with its number if the call has several: `callee 2`. */
export function legName(leg: string, { evidence: { legs } }: Pick<Messages, 'evidence'>): string {
  return leg.replace('caller', legs.caller).replace('callee', legs.callee).replace('bridge', legs.bridge);
}
