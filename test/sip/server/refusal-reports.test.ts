import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SDP } from '../../sip-endpoint/sip-phone.ts';
import { ServerRig } from './server-rig.ts';

/** Reports of refusals that one source may cause at once. */
const SOURCE_BURST = 20;

describe('an INVITE that the server refuses itself', () => {
  let rig: ServerRig;

  beforeEach(async () => {
    rig = await ServerRig.start({ dialogsMax: 1 });
    rig.srf.invite((req, res) => void rig.srf.createUAS(req, res, { localSdp: SDP }));
    await rig.settle();
  });
  afterEach(async () => {
    rig.clock.advance(40_000);
    await rig.close();
  });

  const mandatoryLines = (callId: string) => [
    rig.phone.via(rig.phone.branch()),
    'From: <sip:+4930123456@127.0.0.1>;tag=1',
    `Call-ID: ${callId}`,
    'CSeq: 1 INVITE',
    'Contact: <sip:phone@127.0.0.1>',
  ];
  const refused = async (lines: readonly string[], status: number, method = 'INVITE') => {
    rig.phone.send(rig.phone.request(method, 'sip:+4930654321@127.0.0.1', lines));
    await rig.phone.nextResponse(method, status);
  };

  it.each([
    [
      'an unknown extension',
      420,
      'Require names an extension that the server does not support',
      ['To: <sip:a@b>', 'Require: sec-agree'],
    ],
    [
      'a short session interval',
      422,
      'the session interval is shorter than Min-SE',
      ['To: <sip:a@b>', 'Supported: timer', 'Session-Expires: 30'],
    ],
    ['a second Contact that is malformed', 400, 'malformed Contact', ['To: <sip:a@b>', 'Contact: <sip:']],
    ['an unknown dialog', 481, 'the tag in To belongs to no dialog', ['To: <sip:a@b>;tag=9']],
  ])('is reported: %s', async (_, status, detail, lines) => {
    await refused([...mandatoryLines('refused'), ...lines], status);
    expect(rig.refusals).toEqual([
      {
        cause: 'invalid_request',
        status,
        detail,
        caller: '+4930123456',
        dialled: '+4930654321',
        source: { address: '127.0.0.1', port: rig.phone.port, transport: 'udp' },
      },
    ]);
  });

  it('is reported: another version of SIP', async () => {
    const lines = [...mandatoryLines('old'), 'To: <sip:a@b>', 'Max-Forwards: 70', 'Content-Length: 0', '', ''];
    rig.phone.send(['INVITE sip:a@b SIP/3.0', ...lines].join('\r\n'));
    await rig.phone.nextResponse('INVITE', 505);
    expect(rig.refusals).toMatchObject([
      { cause: 'invalid_request', status: 505, detail: 'another version of SIP', dialled: '' },
    ]);
  });

  it('is reported as overloaded if the server has as many dialogs as it may have', async () => {
    const call = rig.phone.newCall();
    call.invite();
    call.established(await rig.phone.nextResponse('INVITE', 200));
    call.ack();
    await refused([...mandatoryLines('full'), 'To: <sip:a@b>'], 503);
    expect(rig.refusals).toMatchObject([
      { cause: 'overloaded', status: 503, detail: 'as many dialogs are open as there may be' },
    ]);
  });

  it('is reported as unavailable if no application is connected', async () => {
    rig.disconnect();
    await vi.waitFor(() => expect(rig.server.statistics.applications).toBe(0));
    await refused([...mandatoryLines('lost'), 'To: <sip:a@b>'], 503);
    expect(rig.refusals).toMatchObject([
      { cause: 'unavailable', status: 503, detail: 'the service is not connected to its SIP server' },
    ]);
  });

  it('is not reported for another method', async () => {
    const lines = mandatoryLines('message').map((line) => line.replace('INVITE', 'MESSAGE'));
    await refused([...lines, 'To: <sip:a@b>'], 405, 'MESSAGE');
    expect(rig.refusals).toEqual([]);
  });

  it('is counted beyond the rate of reports', async () => {
    for (let nth = 0; nth < SOURCE_BURST + 5; nth++)
      await refused([...mandatoryLines(`flood-${nth}`), 'To: <sip:a@b>', 'Require: sec-agree'], 420);
    expect(rig.refusals).toHaveLength(SOURCE_BURST);
    expect(rig.server.statistics.refusalsUnreported).toBe(5);
    rig.clock.advance(1_000);
    await refused([...mandatoryLines('later'), 'To: <sip:a@b>', 'Require: sec-agree'], 420);
    expect(rig.refusals).toHaveLength(SOURCE_BURST + 1);
  });
});
