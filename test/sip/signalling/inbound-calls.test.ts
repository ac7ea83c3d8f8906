import { describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import { textOf } from '../../sip-endpoint/sip-peer.ts';
import { ANSWER, answeredCall, endOf, nextInvite, OFFER, setUpCalls } from './call-setup.ts';

const rig = setUpCalls();

describe('an inbound call', () => {
  it('rings, is answered, and resolves `accept` with the ACK', async () => {
    const received = nextInvite(rig);
    const invite = rig.peer.invite('%2B15550100', OFFER, [{ name: 'X-Service-Call-Id', value: 'abc' }]);
    rig.peer.send(invite);
    const inbound = await received;
    const users = { dialled: '+15550100', addressee: '+15550100', caller: 'alice' };
    expect(inbound).toMatchObject({ ...users, serviceCallId: 'abc', offer: OFFER });
    expect(inbound.source).toEqual({ address: '127.0.0.1', port: rig.peer.port, transport: 'udp' });
    expect(inbound.header('user-agent')).toBeNull();
    inbound.ring();
    await rig.peer.response(180);
    let acknowledged = false;
    const accepted = inbound.accept(ANSWER).then((dialog) => {
      acknowledged = true;
      return dialog;
    });
    const ok = await rig.peer.response(200, 'INVITE');
    expect(textOf(ok)).toBe(ANSWER);
    expect(getHeader(ok.headers, 'Content-Type')).toBe('application/sdp');
    expect(acknowledged).toBe(false);
    rig.peer.send(rig.peer.inDialog(invite, ok, 'ACK', 1));
    const dialog = await accepted;
    expect(dialog?.sipCallId).toBe(getHeader(invite.headers, 'Call-ID'));
  });

  it.each([
    ['+15550100;npdi;rn=+15550199', '+15550100'],
    ['15550100;phone-context=carrier.example', '15550100'],
    ['+1-555-0100%3Bisub=7', '+1-555-0100'],
    ['alice;7', 'alice;7'],
  ])('to %s has the dialled number %s, without parameters', async (user, dialled) => {
    const received = nextInvite(rig);
    rig.peer.send(rig.peer.invite(user, OFFER));
    const inbound = await received;
    expect(inbound.dialled).toBe(dialled);
    inbound.refuse(404);
    await rig.peer.response(404);
  });

  it('with a multipart body has its SDP part as the offer', async () => {
    const received = nextInvite(rig);
    const parts = [
      '--b',
      'Content-Type: application/sdp',
      '',
      `${OFFER}`,
      '--b',
      'Content-Type: application/isup',
      '',
      'x',
      '--b--',
    ];
    const invite = rig.peer.invite('100', parts.join('\r\n'));
    const type = { name: 'Content-Type', value: 'multipart/mixed;boundary=b' };
    rig.peer.send({ ...invite, headers: invite.headers.map((header) => (header.name === type.name ? type : header)) });
    const inbound = await received;
    expect(inbound.offer).toBe(OFFER);
    inbound.refuse(404);
    await rig.peer.response(404);
  });

  it('has its recovery data before the answer, unchanged after it', async () => {
    const received = nextInvite(rig);
    const invite = rig.peer.invite('agent', OFFER);
    rig.peer.send(invite);
    const inbound = await received;
    const { recovery } = inbound;
    expect(recovery).not.toBeNull();
    inbound.ring();
    const ringing = await rig.peer.response(180);
    expect(getHeader(ringing.headers, 'To')).toBe(recovery?.localUri);
    const accepted = inbound.accept(ANSWER);
    const ok = await rig.peer.response(200, 'INVITE');
    expect(getHeader(ok.headers, 'To')).toBe(recovery?.localUri);
    rig.peer.send(rig.peer.inDialog(invite, ok, 'ACK', 1));
    expect((await accepted)?.recovery()).toEqual(recovery);
  });

  it('ends once by the BYE of the peer', async () => {
    const { dialog, invite, ok } = await answeredCall(rig);
    const causes: string[] = [];
    dialog.onEnded((cause) => causes.push(cause));
    rig.peer.send(rig.peer.inDialog(invite, ok, 'BYE', 2));
    await rig.peer.response(200, 'BYE');
    await expect.poll(() => causes).toEqual(['remote_bye']);
    await dialog.bye();
    expect(causes).toEqual(['remote_bye']);
    expect(await endOf(dialog)).toBe('remote_bye');
    expect(rig.peer.inbox.filter((message) => message.kind === 'request')).toEqual([]);
  });

  it('ends by one BYE of ours, even if requested twice', async () => {
    const { dialog, invite } = await answeredCall(rig);
    const byes = Promise.all([dialog.bye(), dialog.bye()]);
    const bye = await rig.peer.request('BYE');
    expect(getHeader(bye.headers, 'To')).toBe(getHeader(invite.headers, 'From'));
    rig.peer.send(rig.peer.answer(bye, 200));
    await byes;
    expect(await endOf(dialog)).toBe('local_bye');
    expect((await rig.server.statistics()).dialogs).toBe(0);
    expect(rig.peer.inbox.filter((message) => message.kind === 'request')).toEqual([]);
  });

  it('counts as answered when the peer sends BYE without an ACK', async () => {
    const received = nextInvite(rig);
    const invite = rig.peer.invite('agent', OFFER);
    rig.peer.send(invite);
    const accepted = (await received).accept(ANSWER);
    const ok = await rig.peer.response(200, 'INVITE');
    rig.peer.send(rig.peer.inDialog(invite, ok, 'BYE', 2));
    const dialog = await accepted;
    expect(dialog === null ? null : await endOf(dialog)).toBe('remote_bye');
  });

  it('is refused once, with status, reason and headers', async () => {
    const received = nextInvite(rig);
    rig.peer.send(rig.peer.invite('unknown', OFFER));
    const inbound = await received;
    inbound.refuse(503, 'Busy now', { 'Retry-After': '7' });
    inbound.refuse(404);
    inbound.ring();
    const response = await rig.peer.response(503);
    expect(response.reason).toBe('Busy now');
    expect(getHeader(response.headers, 'Retry-After')).toBe('7');
    await expect(inbound.accept(ANSWER)).rejects.toMatchObject({ code: 'already_answered' });
    expect(rig.peer.inbox.filter((message) => message.kind === 'response' && message.status > 180)).toEqual([]);
  });

  it('cannot be refused with a line break in a header or reason', async () => {
    const received = nextInvite(rig);
    rig.peer.send(rig.peer.invite('agent', OFFER));
    const inbound = await received;
    expect(() => inbound.refuse(404, undefined, { 'X-A': 'v\r\nX-Evil: 1' })).toThrow('unsafe X-A');
    expect(() => inbound.refuse(404, 'a\r\nX-Evil: 1')).toThrow('unsafe reason');
    inbound.refuse(404);
    expect(getHeader((await rig.peer.response(404)).headers, 'X-Evil')).toBeNull();
  });

  it('without an offer gets our offer, and the answer arrives with the ACK', async () => {
    const received = nextInvite(rig);
    const invite = rig.peer.invite('agent', '');
    rig.peer.send(invite);
    const inbound = await received;
    expect(inbound.offer).toBeNull();
    const accepted = inbound.accept(OFFER);
    const ok = await rig.peer.response(200, 'INVITE');
    expect(textOf(ok)).toBe(OFFER);
    expect(inbound.answer).toBeNull();
    rig.peer.send(rig.peer.inDialog(invite, ok, 'ACK', 1, ANSWER));
    expect(await accepted).not.toBeNull();
    expect(inbound.answer).toBe(ANSWER);
  });
});

describe('a CANCEL', () => {
  it('before the answer ends the INVITE, and later responses are not sent', async () => {
    const received = nextInvite(rig);
    const invite = rig.peer.invite('agent', OFFER);
    rig.peer.send(invite);
    const inbound = await received;
    let cancels = 0;
    const cancelled = new Promise<void>((resolve) =>
      inbound.onCancelled(() => {
        cancels += 1;
        resolve();
      }),
    );
    inbound.ring();
    await rig.peer.response(180);
    rig.peer.send(rig.peer.cancel(invite));
    await rig.peer.response(200, 'CANCEL');
    await rig.peer.response(487, 'INVITE');
    await cancelled;
    expect(await inbound.accept(ANSWER)).toBeNull();
    inbound.refuse(404);
    inbound.ring();
    expect(cancels).toBe(1);
    await new Promise<void>((resolve) => inbound.onCancelled(resolve));
    expect(
      rig.peer.inbox.filter((message) => message.kind === 'response' && ![100, 487].includes(message.status)),
    ).toEqual([]);
  });
});

describe('within a call', () => {
  it('a re-INVITE is answered with the SDP of the listener', async () => {
    const { dialog, invite, ok } = await answeredCall(rig);
    const offers: string[] = [];
    dialog.onOffer((offer) => {
      offers.push(offer);
      return { sdp: ANSWER.replace('20000', '20002') };
    });
    rig.peer.send(rig.peer.inDialog(invite, ok, 'INVITE', 2, `${OFFER}a=sendonly\r\n`));
    const answer = await rig.peer.response(200, 'INVITE');
    rig.peer.send(rig.peer.inDialog(invite, ok, 'ACK', 2));
    expect(offers).toEqual([`${OFFER}a=sendonly\r\n`]);
    expect(textOf(answer)).toContain('m=audio 20002 ');
    expect(getHeader(answer.headers, 'Contact')).toBe(getHeader(ok.headers, 'Contact'));
  });

  it('a re-INVITE with a compressed body gets 415 with the accepted encoding, and the call continues', async () => {
    const { dialog, invite, ok } = await answeredCall(rig);
    const offers: string[] = [];
    dialog.onOffer((offer) => {
      offers.push(offer);
      return { sdp: ANSWER };
    });
    const reinvite = rig.peer.inDialog(invite, ok, 'INVITE', 2, OFFER);
    const headers = [...reinvite.headers, { name: 'Content-Encoding', value: 'gzip' }];
    rig.peer.send({ ...reinvite, headers });
    const refused = await rig.peer.response(415, 'INVITE');
    expect(getHeader(refused.headers, 'Accept-Encoding')).toBe('identity');
    expect(offers).toEqual([]);
  });

  it('a DTMF digit in an INFO is reported in both formats; another body gets 415, an empty one 200', async () => {
    const { dialog, invite, ok } = await answeredCall(rig);
    const digits: string[] = [];
    dialog.onDtmf(({ digit, durationMs }) => digits.push(`${digit} ${durationMs}`));
    let cseq = 2;
    const info = async (type: string, body: string, status: number) => {
      const request = rig.peer.inDialog(invite, ok, 'INFO', cseq++, body);
      const headers = request.headers.filter(({ name }) => name !== 'Content-Type');
      rig.peer.send({
        ...request,
        headers: body === '' ? headers : [...headers, { name: 'Content-Type', value: type }],
      });
      return rig.peer.response(status, 'INFO');
    };
    await info('application/dtmf-relay', 'Signal=5\r\nDuration=160\r\n', 200);
    await info('application/dtmf', '#', 200);
    await info('', '', 200);
    const refused = await info('application/media_control+xml', '<media_control/>', 415);
    expect(getHeader(refused.headers, 'Accept')).toBe('application/dtmf-relay, application/dtmf');
    await info('application/dtmf-relay', 'Signal=x\r\n', 415);
    expect(digits).toEqual(['5 160', '# 100']);
  });

  it('a re-INVITE right after the ACK waits until the listener is registered', async () => {
    const received = nextInvite(rig);
    const invite = rig.peer.invite('agent', OFFER);
    rig.peer.send(invite);
    const accepted = (await received).accept(ANSWER);
    const ok = await rig.peer.response(200, 'INVITE');
    rig.peer.send(rig.peer.inDialog(invite, ok, 'ACK', 1));
    rig.peer.send(rig.peer.inDialog(invite, ok, 'INVITE', 2, OFFER));
    (await accepted)?.onOffer(() => ({ sdp: ANSWER }));
    expect(textOf(await rig.peer.response(200, 'INVITE'))).toBe(ANSWER);
    rig.peer.send(rig.peer.inDialog(invite, ok, 'ACK', 2));
  });

  it('a re-INVITE without an offer gets the offer of the listener, which receives the answer of the ACK', async () => {
    const { dialog, invite, ok } = await answeredCall(rig);
    const answer = new Promise<string>((resolve) => dialog.onLateOffer({ offer: () => OFFER, answered: resolve }));
    rig.peer.send(rig.peer.inDialog(invite, ok, 'INVITE', 2));
    expect(textOf(await rig.peer.response(200, 'INVITE'))).toBe(OFFER);
    rig.peer.send(rig.peer.inDialog(invite, ok, 'ACK', 2, `${ANSWER}a=sendonly\r\n`));
    expect(await answer).toBe(`${ANSWER}a=sendonly\r\n`);
  });

  it('a re-INVITE without an offer changes nothing when its ACK has no answer', async () => {
    const { dialog, invite, ok } = await answeredCall(rig);
    const answers: string[] = [];
    dialog.onLateOffer({ offer: () => OFFER, answered: (answer) => answers.push(answer) });
    rig.peer.send(rig.peer.inDialog(invite, ok, 'INVITE', 2));
    await rig.peer.response(200, 'INVITE');
    rig.peer.send(rig.peer.inDialog(invite, ok, 'ACK', 2));
    rig.peer.send(rig.peer.inDialog(invite, ok, 'INFO', 3));
    await rig.peer.response(200, 'INFO');
    expect(answers).toEqual([]);
    expect((await rig.server.statistics()).dialogs).toBe(1);
  });

  it('a re-INVITE without an offer gets our last description when no listener is registered', async () => {
    const { invite, ok } = await answeredCall(rig);
    rig.peer.send(rig.peer.inDialog(invite, ok, 'INVITE', 2));
    expect(textOf(await rig.peer.response(200, 'INVITE'))).toBe(ANSWER);
    rig.peer.send(rig.peer.inDialog(invite, ok, 'ACK', 2, OFFER));
  });

  it('a re-INVITE gets 488 without a listener, or the status of the listener, and the call continues', async () => {
    const { dialog, invite, ok } = await answeredCall(rig);
    rig.peer.send(rig.peer.inDialog(invite, ok, 'INVITE', 2, OFFER));
    await rig.peer.response(488, 'INVITE');
    dialog.onOffer(() => ({ refuse: 491 }));
    rig.peer.send(rig.peer.inDialog(invite, ok, 'INVITE', 3, OFFER));
    await rig.peer.response(491, 'INVITE');
    expect((await rig.server.statistics()).dialogs).toBe(1);
  });

  it('an UPDATE without an offer gets an empty 200, one with an offer the SDP of the listener', async () => {
    const { dialog, invite, ok } = await answeredCall(rig);
    dialog.onOffer(() => ({ sdp: ANSWER }));
    rig.peer.send(rig.peer.inDialog(invite, ok, 'UPDATE', 2));
    const refreshed = await rig.peer.response(200, 'UPDATE');
    expect(textOf(refreshed)).toBe('');
    expect(getHeader(refreshed.headers, 'Allow')).toBe(getHeader(ok.headers, 'Allow'));
    rig.peer.send(rig.peer.inDialog(invite, ok, 'UPDATE', 3, OFFER));
    expect(textOf(await rig.peer.response(200, 'UPDATE'))).toBe(ANSWER);
  });

  it('an error of a listener is reported, and fails only its request', async () => {
    const { dialog, invite, ok } = await answeredCall(rig);
    dialog.onOffer(() => {
      throw new Error('broken offer');
    });
    dialog.onEnded(() => {
      throw new Error('broken end');
    });
    rig.peer.send(rig.peer.inDialog(invite, ok, 'UPDATE', 2, OFFER));
    await rig.peer.response(500, 'UPDATE');
    rig.peer.send(rig.peer.inDialog(invite, ok, 'INVITE', 3, OFFER));
    await rig.peer.response(500, 'INVITE');
    rig.peer.send(rig.peer.inDialog(invite, ok, 'BYE', 4));
    await rig.peer.response(200, 'BYE');
    await expect.poll(() => rig.faults.length).toBe(3);
    expect(rig.faults.splice(0).map(String)).toEqual([
      'Error: broken offer',
      'Error: broken offer',
      'Error: broken end',
    ]);
  });

  it.each([
    ['OPTIONS', 200],
    ['INFO', 200],
    ['REFER', 405],
    ['MESSAGE', 405],
    ['PUBLISH', 405],
    ['X-UNKNOWN', 405],
  ])('%s is answered %i', async (method, status) => {
    const { invite, ok } = await answeredCall(rig);
    rig.peer.send(rig.peer.inDialog(invite, ok, method, 2));
    await rig.peer.response(status, method);
  });

  it('the recovery data is available until the end of the call', async () => {
    const { dialog, invite, ok } = await answeredCall(rig);
    expect(dialog.recovery()).toMatchObject({
      sipCallId: dialog.sipCallId,
      localUri: getHeader(ok.headers, 'To'),
      remoteUri: getHeader(invite.headers, 'From'),
      remoteTarget: `sip:alice@127.0.0.1:${rig.peer.port}`,
    });
    rig.peer.send(rig.peer.inDialog(invite, ok, 'BYE', 2));
    await expect.poll(() => dialog.recovery()).toBeNull();
  });
});

describe('OPTIONS outside a call', () => {
  function sendOptions(): void {
    const options = rig.peer.invite('agent', '');
    const headers = options.headers.map(({ name, value }) =>
      name === 'CSeq' ? { name, value: '1 OPTIONS' } : { name, value },
    );
    rig.peer.send({ ...options, method: 'OPTIONS', headers });
  }

  it('is answered 200 while calls are taken', async () => {
    rig.signalling.onOptions(() => null);
    sendOptions();
    expect(getHeader((await rig.peer.response(200, 'OPTIONS')).headers, 'Allow')).toContain('INVITE');
  });

  it('is answered 503 with Retry-After while calls are refused', async () => {
    let retryAfterSeconds: number | null = 10;
    rig.signalling.onOptions(() => retryAfterSeconds);
    sendOptions();
    expect(getHeader((await rig.peer.response(503, 'OPTIONS')).headers, 'Retry-After')).toBe('10');
    retryAfterSeconds = null;
    sendOptions();
    expect(getHeader((await rig.peer.response(200, 'OPTIONS')).headers, 'Retry-After')).toBeNull();
  });
});
