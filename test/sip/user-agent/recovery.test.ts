import { describe, expect, it } from 'vitest';
import { type DialogRecovery, ORPHAN_CSEQ_MARGIN } from '../../../sip/dialog/dialog-recovery.ts';
import { getHeader } from '../../../sip/message/headers.ts';
import { startEmbeddedServer } from '../../../sip/server/embedded-server.ts';
import { SDP, SipPhone } from '../../sip-endpoint/sip-phone.ts';
import { terminateSipServer } from '../../worker-threads.ts';
import { connectSrf } from '../contract/connect-srf.ts';
import { ServerRig } from '../server/server-rig.ts';

const CREDENTIALS = { username: 'line-7', password: 'secret' };

describe('dialog recovery', () => {
  it('reports the recovery data of each dialog, its changes, and its end', async () => {
    const rig = await ServerRig.start();
    const dialog = rig.answering(SDP);
    const call = rig.phone.newCall();
    call.invite();
    const ok = await rig.phone.nextResponse('INVITE', 200);
    call.established(ok);
    call.ack();
    await dialog;
    expect(rig.reports).toEqual([
      {
        id: `${call.callId};from-tag=${call.fromTag}`,
        recovery: {
          sipCallId: call.callId,
          localUri: getHeader(ok.headers, 'To'),
          remoteUri: `<sip:phone@127.0.0.1>;tag=${call.fromTag}`,
          localCseq: 0,
          routeSet: [],
          remoteTarget: rig.phone.uri,
          transport: 'udp',
          source: { address: '127.0.0.1', port: rig.phone.port },
        },
      },
    ]);
    const modified = (await dialog).modify(SDP);
    rig.phone.respond(await rig.phone.nextRequest('INVITE'), 200, {
      lines: ['Contact: <sip:moved@127.0.0.1>'],
      body: SDP,
    });
    await modified;
    expect(rig.reports.at(-1)?.recovery).toMatchObject({ localCseq: 1, remoteTarget: 'sip:moved@127.0.0.1' });
    call.inDialog('BYE');
    await rig.phone.nextResponse('BYE', 200);
    expect(rig.reports.at(-1)?.recovery).toBe(null);
    await rig.close();
  });

  it('lets the next worker send the BYE with a higher CSeq after the worker was killed, and answer one challenge', async () => {
    const first = await startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0 });
    const port = first.addresses[0]?.port ?? 0;
    const phone = await SipPhone.open({ host: '127.0.0.1', port });
    const recoveries: (DialogRecovery | null)[] = [];
    first.onDialog((_key, _callId, recovery) => recoveries.push(recovery));
    const srf = await connectSrf({ host: first.host, port: first.port, secret: first.secret });
    srf.invite((req, res) => void srf.createUAS(req, res, { localSdp: SDP }));
    const call = phone.newCall();
    call.invite();
    const ok = await phone.nextResponse('INVITE', 200);
    call.established(ok);
    call.ack();
    call.inDialog('OPTIONS');
    await phone.nextResponse('OPTIONS', 200);
    const exited = new Promise<string>((resolve) => first.onExit(resolve));
    await terminateSipServer();
    await exited;
    await expect(first.statistics()).rejects.toThrow('has exited');

    const second = await startEmbeddedServer({ bindAddress: '127.0.0.1', port });
    const [recovery] = recoveries;
    if (recovery === undefined || recovery === null) throw new Error('no recovery data');
    const ended = second.endOrphan(recovery, CREDENTIALS);
    const bye = await phone.nextRequest('BYE');
    expect(getHeader(bye.headers, 'From')).toBe(getHeader(ok.headers, 'To'));
    expect(getHeader(bye.headers, 'Call-ID')).toBe(call.callId);
    expect(getHeader(bye.headers, 'CSeq')).toBe(`${ORPHAN_CSEQ_MARGIN + 1} BYE`);
    phone.respond(bye, 407, { lines: ['Proxy-Authenticate: Digest realm="carrier", nonce="abc", algorithm=MD5'] });
    const repeated = await phone.nextRequest('BYE');
    expect(getHeader(repeated.headers, 'Proxy-Authorization')).toMatch(/^Digest username="line-7".*realm="carrier"/);
    expect(getHeader(repeated.headers, 'To')).toBe(getHeader(bye.headers, 'To'));
    expect(getHeader(repeated.headers, 'CSeq')).toBe(`${ORPHAN_CSEQ_MARGIN + 2} BYE`);
    phone.respond(repeated, 407, { lines: ['Proxy-Authenticate: Digest realm="carrier", nonce="def", algorithm=MD5'] });
    await ended;
    phone.close();
    await second.close();
  });

  it('gives up an orphaned dialog whose peer does not respond or resolve', async () => {
    const rig = await ServerRig.start();
    const recovery: DialogRecovery = {
      sipCallId: 'orphan',
      localUri: '<sip:a@127.0.0.1>;tag=a',
      remoteUri: '<sip:b@127.0.0.1>;tag=b',
      localCseq: 5,
      routeSet: [],
      remoteTarget: 'sip:unknown@no-such-host.invalid',
      transport: 'udp',
      source: null,
    };
    await rig.server.endOrphan(recovery, null);
    const unanswered = rig.server.endOrphan({ ...recovery, remoteTarget: rig.phone.uri }, null);
    await rig.phone.nextRequest('BYE');
    rig.clock.advance(32_000);
    await unanswered;
    expect(rig.server.statistics).toMatchObject({ transactions: 0, timers: 0 });
    await rig.close();
  });
});

describe('the embedded server', () => {
  it('fails with EADDRINUSE when the port is taken', async () => {
    const first = await startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0 });
    const port = first.addresses[0]?.port ?? 0;
    await expect(startEmbeddedServer({ bindAddress: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE');
    let exits = 0;
    first.onExit(() => {
      exits += 1;
    });
    await first.close();
    await first.close();
    expect(exits).toBe(0);
  });

  it('uses its external address in Via and Contact, and traces every message', async () => {
    const server = await startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0, externalAddress: '203.0.113.7' });
    const port = server.addresses[0]?.port ?? 0;
    expect(server.addresses).toContainEqual({ transport: 'tcp', host: '203.0.113.7', port });
    const traced: string[] = [];
    server.onTrace(({ direction, bytes }) =>
      traced.push(`${direction} ${Buffer.from(bytes).toString().split(' ')[0]}`),
    );
    const phone = await SipPhone.open({ host: '127.0.0.1', port });
    const srf = await connectSrf({ host: server.host, port: server.port, secret: server.secret });
    const outcome = srf.createUAC(phone.uri, { localSdp: SDP }).catch((error: { status?: number }) => error.status);
    const invite = await phone.nextRequest('INVITE');
    expect(getHeader(invite.headers, 'Via')).toContain(`203.0.113.7:${port};`);
    expect(getHeader(invite.headers, 'Contact')).toBe(`<sip:203.0.113.7:${port}>`);
    phone.respond(invite, 404);
    expect(await outcome).toBe(404);
    await phone.nextRequest('ACK');
    await server.statistics();
    expect(traced).toEqual(['sent INVITE', 'received SIP/2.0', 'sent ACK']);
    srf.disconnect();
    phone.close();
    await server.close();
  });
});
