import { describe, expect, it } from 'vitest';
import { dialogFromRecovery, ORPHAN_CSEQ_MARGIN, recoveryOf } from '../../../sip/dialog/dialog-recovery.ts';
import {
  acceptRequest,
  type DialogState,
  makeRequest,
  makeUacDialog,
  makeUasDialog,
  refreshTarget,
  routeOf,
} from '../../../sip/dialog/dialog-state.ts';
import { getHeader, getHeaderLines } from '../../../sip/message/headers.ts';
import type { SipHeader, SipRequest, SipResponse } from '../../../sip/message/sip-message.ts';

const NO_BODY = new Uint8Array(0);
const SOURCE = { transport: 'udp', address: '192.0.2.1', port: 5060 } as const;

const headers = (cseq: string, to: string, extra: readonly SipHeader[] = []): SipHeader[] => [
  { name: 'From', value: '<sip:a@example.com>;tag=from' },
  { name: 'To', value: to },
  { name: 'Call-ID', value: 'call' },
  { name: 'CSeq', value: cseq },
  ...extra,
];

const routes = [
  { name: 'Record-Route', value: '<sip:p1.example;lr>, <sip:p2.example;lr>' },
  { name: 'Record-Route', value: '<sip:p3.example;lr>' },
];

function request(method: string, cseq: number, extra: readonly SipHeader[] = []): SipRequest {
  return {
    kind: 'request',
    method,
    uri: 'sip:b@example.com',
    headers: headers(`${cseq} ${method}`, '<sip:b@example.com>', extra),
    body: NO_BODY,
  };
}

function ok(extra: readonly SipHeader[] = []): SipResponse {
  return {
    kind: 'response',
    status: 200,
    reason: 'OK',
    headers: headers('7 INVITE', '<sip:b@example.com>;tag=to', extra),
    body: NO_BODY,
  };
}

const uas = () =>
  makeUasDialog(
    request('INVITE', 7, [{ name: 'Contact', value: '<sip:a@192.0.2.1>' }, ...routes]),
    getHeader(ok().headers, 'To') ?? '',
    SOURCE,
  );
const uac = () =>
  makeUacDialog(request('INVITE', 7), ok([{ name: 'Contact', value: '<sip:b@192.0.2.1>' }, ...routes]), SOURCE);

describe('a new dialog (RFC 3261 §12.1)', () => {
  it('keeps the order of Record-Route as UAS, and reverses it as UAC', () => {
    expect(uas().routeSet).toEqual(['<sip:p1.example;lr>', '<sip:p2.example;lr>', '<sip:p3.example;lr>']);
    expect(uac().routeSet).toEqual(['<sip:p3.example;lr>', '<sip:p2.example;lr>', '<sip:p1.example;lr>']);
  });

  it('swaps From and To as UAS, and starts without a local CSeq', () => {
    expect(uas()).toMatchObject({
      localTag: 'to',
      remoteTag: 'from',
      localUri: '<sip:b@example.com>;tag=to',
      remoteUri: '<sip:a@example.com>;tag=from',
      localCseq: 0,
      remoteCseq: 7,
      remoteTarget: 'sip:a@192.0.2.1',
    });
    expect(uac()).toMatchObject({ localTag: 'from', remoteTag: 'to', localCseq: 7, remoteCseq: null });
  });
});

describe('our requests (RFC 3261 §12.2.1.1)', () => {
  const dialogWithRoutes = (...routeSet: string[]): DialogState => ({ ...uac(), routeSet });

  it('go to the remote target without routes', () => {
    expect(routeOf(dialogWithRoutes())).toEqual({
      requestUri: 'sip:b@192.0.2.1',
      routes: [],
      nextHop: 'sip:b@192.0.2.1',
    });
  });

  it('go to the first loose router with the target as Request-URI', () => {
    expect(routeOf(dialogWithRoutes('<sip:p1.example;lr>', '<sip:p2.example>'))).toEqual({
      requestUri: 'sip:b@192.0.2.1',
      routes: ['<sip:p1.example;lr>', '<sip:p2.example>'],
      nextHop: 'sip:p1.example;lr',
    });
  });

  it('carry a strict router as Request-URI, and the target as the last Route', () => {
    expect(routeOf(dialogWithRoutes('<sip:p1.example>', '<sip:p2.example;lr>'))).toEqual({
      requestUri: 'sip:p1.example',
      routes: ['<sip:p2.example;lr>', '<sip:b@192.0.2.1>'],
      nextHop: 'sip:p1.example',
    });
  });

  it('carry the dialog’s tags, Call-ID and routes', () => {
    const bye = makeRequest(uac(), 'BYE', 8, [{ name: 'Reason', value: 'SIP;cause=200' }], NO_BODY);
    expect(getHeader(bye.headers, 'To')).toBe('<sip:b@example.com>;tag=to');
    expect(getHeader(bye.headers, 'CSeq')).toBe('8 BYE');
    expect(getHeaderLines(bye.headers, 'Route')).toHaveLength(3);
  });
});

describe('requests of the peer (RFC 3261 §12.2.2)', () => {
  it('may start with any CSeq, and then need a higher one; gaps are allowed', () => {
    expect(acceptRequest(uac(), request('INFO', 1), SOURCE)?.remoteCseq).toBe(1);
    expect(acceptRequest(uas(), request('INFO', 20), SOURCE)?.remoteCseq).toBe(20);
    expect(acceptRequest(uas(), request('INFO', 7), SOURCE)).toBe(null);
    expect(acceptRequest(uas(), request('INFO', 6), SOURCE)).toBe(null);
  });

  it('update the remote target by a valid Contact only', () => {
    expect(refreshTarget(uas(), [{ name: 'Contact', value: '<sip:new@192.0.2.5>' }]).remoteTarget).toBe(
      'sip:new@192.0.2.5',
    );
    expect(refreshTarget(uas(), []).remoteTarget).toBe('sip:a@192.0.2.1');
    expect(refreshTarget(uas(), [{ name: 'Contact', value: '*' }]).remoteTarget).toBe('sip:a@192.0.2.1');
  });
});

describe('recovery', () => {
  it('restores the dialog for a BYE, with the CSeq raised by the margin', () => {
    const dialog = uac();
    const orphan = dialogFromRecovery(recoveryOf(dialog));
    expect(orphan).toEqual({ ...dialog, localCseq: dialog.localCseq + ORPHAN_CSEQ_MARGIN, remoteCseq: null });
  });
});
