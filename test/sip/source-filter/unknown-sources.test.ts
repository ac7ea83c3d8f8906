import { createSocket } from 'node:dgram';
import { describe, expect, it, vi } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import type { SipMessage } from '../../../sip/message/sip-message.ts';
import { eventually } from '../../service/rig/eventually.ts';
import { SDP } from '../../sip-endpoint/sip-phone.ts';
import { TcpPhone } from '../../sip-endpoint/tcp-phone.ts';
import { ServerRig } from '../server/server-rig.ts';

/** No trunk lists the phone's address. */
const OTHER_SOURCES = { listed: ['192.0.2.0/24'], open: false };
const PHONE_ONLY = { listed: ['127.0.0.1'], open: false };

describe('an unknown source', () => {
  it('gets no response to requests outside a call, which are counted', async () => {
    const rig = await ServerRig.start({}, OTHER_SOURCES);
    const invited = vi.fn();
    rig.srf.invite(invited);
    rig.phone.newCall().invite();
    rig.phone.send(rig.phone.request('OPTIONS', 'sip:a@127.0.0.1', [rig.phone.via(rig.phone.branch()), 'Call-ID: x']));
    rig.phone.send('REGISTER nonsense');
    await eventually(() => expect(rig.server.statistics.unknownSources).toBe(3));
    expect(invited).not.toHaveBeenCalled();
    expect(rig.phone.unread).toEqual([]);
    expect(rig.server.statistics).toMatchObject({ transactions: 0, malformed: 0 });
    await rig.close();
  });

  it('is accepted as soon as a trunk lists it', async () => {
    const rig = await ServerRig.start({}, OTHER_SOURCES);
    rig.server.setAllowedSources(PHONE_ONLY);
    await rig.settle();
    rig.server.setAllowedSources(OTHER_SOURCES);
    const options = [rig.phone.via(rig.phone.branch()), 'Call-ID: x'];
    rig.phone.send(rig.phone.request('OPTIONS', 'sip:a@127.0.0.1', options));
    await eventually(() => expect(rig.server.statistics.unknownSources).toBe(1));
    expect(rig.phone.unread).toEqual([]);
    await rig.close();
  });

  it('can use at most four fifths of the connections', async () => {
    const rig = await ServerRig.start({ connectionsMax: 5 }, OTHER_SOURCES);
    const server = { host: '127.0.0.1', port: rig.sipPort };
    const unknownPhones = await Promise.all(Array.from({ length: 4 }, () => TcpPhone.open(server)));
    await eventually(() => expect(rig.server.statistics.connections).toBe(4));
    const refused = await TcpPhone.open(server);
    await new Promise<void>((resolve) => refused.socket.on('close', () => resolve()));
    expect(rig.server.statistics).toMatchObject({ connections: 4, connectionsRefused: 1 });
    rig.server.setAllowedSources(PHONE_ONLY);
    const trunk = await TcpPhone.open(server);
    await eventually(() => expect(rig.server.statistics.connections).toBe(5));
    for (const { socket } of [...unknownPhones, trunk]) socket.destroy();
    await rig.close();
  });

  it('can answer and end a call that we placed to it', async () => {
    const rig = await ServerRig.start({}, OTHER_SOURCES);
    const calling = rig.srf.createUAC(rig.phone.uri, { localSdp: SDP });
    const invite = await rig.phone.nextRequest('INVITE');
    rig.phone.respond(invite, 200, { lines: [`Contact: <${rig.phone.uri}>`], body: SDP });
    const dialog = await calling;
    const ended = new Promise<void>((resolve) => dialog.on('destroy', () => resolve()));
    const header = (name: string) => invite.headers.find((header) => header.name === name)?.value ?? '';
    const bye = (callId: string) =>
      rig.phone.request('BYE', `sip:trunkline@127.0.0.1:${rig.sipPort}`, [
        rig.phone.via(rig.phone.branch()),
        `From: ${header('To')};tag=callee`,
        `To: ${header('From')}`,
        `Call-ID: ${callId}`,
        'CSeq: 1 BYE',
      ]);
    rig.phone.send(bye('another'));
    rig.phone.send(bye(header('Call-ID')));
    await ended;
    expect((await rig.phone.nextResponse('BYE')).status).toBe(200);
    expect(rig.phone.unread.filter(({ kind }) => kind === 'response')).toEqual([]);
    expect(rig.server.statistics.unknownSources).toBe(1);
    await rig.close();
  });

  it('loses the connection on which it sends a request', async () => {
    const rig = await ServerRig.start({}, OTHER_SOURCES);
    const phone = await TcpPhone.open({ host: '127.0.0.1', port: rig.sipPort });
    const closed = new Promise<void>((resolve) => phone.socket.on('close', () => resolve()));
    phone.socket.write('OPTIONS sip:a@127.0.0.1 SIP/2.0\r\nCall-ID: x\r\nContent-Length: 0\r\n\r\n');
    await closed;
    expect(rig.server.statistics.unknownSources).toBe(1);
    await rig.close();
  });
});

describe('a scanner', () => {
  it.each([
    'User-Agent: friendly-scanner',
    'user-agent:SIPVicious',
    'User-Agent: sipcli/v1.8',
    'From: "sipvicious"<sip:100@1.1.1.1>;tag=1',
  ])('with «%s» gets no response, even if all sources may call', async (line) => {
    const rig = await ServerRig.start();
    const lines = [rig.phone.via(rig.phone.branch()), line, 'To: <sip:a@b>', 'Call-ID: x', 'CSeq: 1 OPTIONS'];
    rig.phone.send(rig.phone.request('OPTIONS', 'sip:a@127.0.0.1', lines));
    await rig.settle();
    expect(rig.server.statistics.scanners).toBe(1);
    expect(rig.phone.unread).toEqual([]);
    await rig.close();
  });

  it('is accepted from a listed address, as a test tool of the operator', async () => {
    const rig = await ServerRig.start({}, PHONE_ONLY);
    rig.srf.invite((_req, res) => void res.send(486));
    rig.phone.newCall({ extra: ['User-Agent: sipcli/v1.8'] }).invite();
    await rig.phone.nextResponse('INVITE', 486);
    await rig.close();
  });
});

describe('wrong guesses', () => {
  const limits = { wrongGuessesPerSourceMax: 3, wrongGuessesPerSecondPerSource: 1 };

  it('of an address are limited, and allowed again after a while', async () => {
    const rig = await ServerRig.start(limits);
    rig.srf.invite((_req, res) => void res.send(404));
    for (let tries = 0; tries < 3; tries++) {
      rig.phone.newCall().invite();
      await rig.phone.nextResponse('INVITE', 404);
    }
    rig.phone.newCall().invite();
    await rig.settle();
    expect(rig.server.statistics.invitesLimited).toBe(1);
    expect(rig.phone.unread.filter((message) => message.kind === 'response' && message.status > 100)).toEqual([]);
    rig.clock.advance(1_000);
    rig.phone.newCall().invite();
    await rig.phone.nextResponse('INVITE', 404);
    await rig.close();
  });

  it('are not limited for a listed address', async () => {
    const rig = await ServerRig.start(limits, PHONE_ONLY);
    rig.srf.invite((_req, res) => void res.send(404));
    for (let tries = 0; tries < 8; tries++) {
      rig.phone.newCall().invite();
      await rig.phone.nextResponse('INVITE', 404);
    }
    await rig.close();
  });

  it.each([180, 486, 503])('do not include INVITEs answered with %i', async (status) => {
    const rig = await ServerRig.start(limits);
    rig.srf.invite((_req, res) => void res.send(status));
    for (let tries = 0; tries < 8; tries++) {
      rig.phone.newCall().invite();
      await rig.phone.nextResponse('INVITE', status);
    }
    expect(rig.server.statistics.invitesLimited).toBe(0);
    await rig.close();
  });

  it('do not include challenges that the caller answers', async () => {
    const rig = await ServerRig.start(limits);
    rig.srf.invite((req, res) => void res.send(req.has('Authorization') ? 486 : 401));
    for (let calls = 0; calls < 8; calls++) {
      const challenged = rig.phone.newCall();
      challenged.invite();
      challenged.ackRefusal(await rig.phone.nextResponse('INVITE', 401));
      challenged.inDialog('INVITE', {
        lines: [`Contact: <${rig.phone.uri}>`, 'Authorization: Digest username="a"'],
        body: SDP,
      });
      await rig.phone.nextResponse('INVITE', 486);
    }
    await rig.close();
  });

  it('are not paid back by other calls with credentials of any kind', async () => {
    const rig = await ServerRig.start(limits);
    rig.srf.invite((req, res) => void res.send(req.has('Authorization') ? 486 : 404));
    const isFinal = (message: SipMessage) => message.kind === 'response' && message.status >= 300;
    /** Calls that were refused or limited. A refusal may come twice. */
    const handled = () => {
      const refused = rig.phone.unread.filter(isFinal).map(({ headers }) => getHeader(headers, 'Call-ID'));
      return new Set(refused).size + rig.server.statistics.invitesLimited;
    };
    for (let calls = 0; calls < 8; calls++) {
      rig.phone.newCall().invite();
      await eventually(() => expect(handled()).toBe(2 * calls + 1));
      rig.phone.newCall({ extra: ['Authorization: Digest username="a"'] }).invite();
      await eventually(() => expect(handled()).toBe(2 * calls + 2));
    }
    expect(rig.server.statistics.invitesLimited).toBeGreaterThan(8);
    await rig.close();
  });

  it('of all unknown sources are limited together', async () => {
    const rig = await ServerRig.start({ wrongGuessesMax: 2, wrongGuessesPerSecond: 1 });
    rig.srf.invite((_req, res) => void res.send(404));
    const call = (address: string) => {
      const lines = [
        `Via: SIP/2.0/UDP ${address};rport;branch=${rig.phone.branch()}`,
        'From: <sip:a@b>;tag=1',
        'To: <sip:b@b>',
        `Call-ID: ${rig.phone.branch()}`,
        'CSeq: 1 INVITE',
        'Contact: <sip:a@b>',
      ];
      const socket = createSocket('udp4');
      return new Promise<void>((resolve) => {
        socket.bind(0, address, () => {
          const bytes = rig.phone.request('INVITE', 'sip:x@127.0.0.1', lines);
          socket.send(bytes, rig.sipPort, '127.0.0.1', () => socket.close(() => resolve()));
        });
      });
    };
    for (let host = 2; host < 7; host++) await call(`127.0.0.${host}`);
    await eventually(() => expect(rig.server.statistics.invitesLimited).toBe(3));
    await rig.close();
  });
});

it('refused requests of unknown sources use no transaction', async () => {
  const rig = await ServerRig.start();
  const lines = [rig.phone.via('z9hG4bK-same'), 'From: <sip:a@b>;tag=1', 'To: <sip:b@b>', 'Call-ID: same'];
  const options = rig.phone.request('OPTIONS', 'sip:a@127.0.0.1', [...lines, 'CSeq: 1 OPTIONS']);
  const tags = new Set<string>();
  for (let times = 0; times < 3; times++) {
    rig.phone.send(options);
    const { headers } = await rig.phone.nextResponse('OPTIONS', 200);
    tags.add(headers.find(({ name }) => name === 'To')?.value ?? '');
  }
  expect(tags.size).toBe(1);
  expect(rig.server.statistics.transactions).toBe(0);
  await rig.close();
});

describe('a flood of bad INVITEs', () => {
  /** Sent in batches, so that the kernel's receive buffer does not overflow. */
  const BATCHES = 20;
  const BATCH_SIZE = 100;
  const KINDS = ['', 'User-Agent: friendly-scanner', 'CSeq: again', 'Content-Length: 99999'];

  it.each([
    ['of unknown sources', { listed: ['127.0.0.1'], open: false }],
    ['while all sources may call', { listed: [], open: true }],
  ])('%s ends no call and leaves no transaction, dialog or timer', async (_case, sources) => {
    const rig = await ServerRig.start({}, sources);
    const ended: Promise<void>[] = [];
    rig.srf.invite((req, res) => {
      if (ended.length === 2) return void res.send(404);
      void rig.srf.createUAS(req, res, { localSdp: SDP }).then((dialog) => {
        ended.push(new Promise((resolve) => dialog.on('destroy', () => resolve())));
      });
    });
    const calls = [rig.phone.newCall(), rig.phone.newCall()];
    for (const call of calls) {
      call.invite();
      call.established(await rig.phone.nextResponse('INVITE', 200));
      call.ack();
    }
    await eventually(() => expect(ended).toHaveLength(2));
    const flood = createSocket('udp4');
    await new Promise<void>((resolve) => flood.bind(0, '127.0.0.2', resolve));
    let answers = 0;
    flood.on('message', () => answers++);
    for (let batch = 0; batch < BATCHES; batch++) {
      for (let turn = 0; turn < BATCH_SIZE; turn++) {
        const lines = [
          `Via: SIP/2.0/UDP 127.0.0.2;rport;branch=z9hG4bK-${batch}-${turn}`,
          `From: <sip:100@127.0.0.2>;tag=${turn}`,
          'To: <sip:900@127.0.0.1>',
          `Call-ID: ${batch}-${turn}`,
          'CSeq: 1 INVITE',
          'Contact: <sip:100@127.0.0.2>',
          ...(KINDS[turn % KINDS.length] === '' ? [] : [KINDS[turn % KINDS.length] ?? '']),
        ];
        flood.send(`INVITE sip:900@127.0.0.1 SIP/2.0\r\n${lines.join('\r\n')}\r\n\r\n`, rig.sipPort, '127.0.0.1');
      }
      await rig.settle();
    }
    const { transactions, dialogs, unknownSources, scanners, overRate } = rig.server.statistics;
    expect(dialogs).toBe(2);
    expect(transactions).toBeLessThan(100);
    expect(scanners).toBeGreaterThan(0);
    if (!sources.open) {
      expect(answers).toBe(0);
      expect(unknownSources + scanners).toBeGreaterThan((BATCHES * BATCH_SIZE) / 2);
    } else expect(overRate).toBeGreaterThan(0);
    for (const call of calls) {
      call.inDialog('BYE');
      await rig.phone.nextResponse('BYE', 200);
    }
    await Promise.all(ended);
    flood.close();
    rig.clock.advance(400_000);
    expect(rig.server.statistics).toMatchObject({ transactions: 0, dialogs: 0, timers: 0 });
    await rig.close();
  });
});
