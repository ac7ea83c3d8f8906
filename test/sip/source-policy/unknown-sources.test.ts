import { createSocket } from 'node:dgram';
import { describe, expect, it, vi } from 'vitest';
import { SDP } from '../../sip-endpoint/sip-phone.ts';
import { TcpPhone } from '../../sip-endpoint/tcp-phone.ts';
import { ServerRig } from '../server/server-rig.ts';

/** The phone's address is no trunk's. */
const ELSEWHERE = { listed: ['192.0.2.0/24'], open: false };
const ONLY_THE_PHONE = { listed: ['127.0.0.1'], open: false };

describe('who no trunk allows', () => {
  it('gets no answer to any request outside a call, and is counted', async () => {
    const rig = await ServerRig.start({}, ELSEWHERE);
    const invited = vi.fn();
    rig.srf.invite(invited);
    rig.phone.newCall().invite();
    rig.phone.send(rig.phone.request('OPTIONS', 'sip:a@127.0.0.1', [rig.phone.via(rig.phone.branch()), 'Call-ID: x']));
    rig.phone.send('REGISTER nonsense');
    await vi.waitFor(() => expect(rig.server.statistics.unknownSources).toBe(3));
    expect(invited).not.toHaveBeenCalled();
    expect(rig.phone.unread).toEqual([]);
    expect(rig.server.statistics).toMatchObject({ transactions: 0, unreadable: 0 });
    await rig.close();
  });

  it('is heard as soon as a trunk allows it', async () => {
    const rig = await ServerRig.start({}, ELSEWHERE);
    rig.server.setAllowedSources(ONLY_THE_PHONE);
    await rig.settle();
    rig.server.setAllowedSources(ELSEWHERE);
    const options = [rig.phone.via(rig.phone.branch()), 'Call-ID: x'];
    rig.phone.send(rig.phone.request('OPTIONS', 'sip:a@127.0.0.1', options));
    await vi.waitFor(() => expect(rig.server.statistics.unknownSources).toBe(1));
    expect(rig.phone.unread).toEqual([]);
    await rig.close();
  });

  it('fills four fifths of the connections at most: the others are for trunks and for calls of ours', async () => {
    const rig = await ServerRig.start({ connectionsMax: 5 }, ELSEWHERE);
    const server = { host: '127.0.0.1', port: rig.sipPort };
    const unknownPhones = await Promise.all(Array.from({ length: 4 }, () => TcpPhone.open(server)));
    await vi.waitFor(() => expect(rig.server.statistics.connections).toBe(4));
    const refused = await TcpPhone.open(server);
    await new Promise<void>((resolve) => refused.socket.on('close', () => resolve()));
    expect(rig.server.statistics).toMatchObject({ connections: 4, connectionsRefused: 1 });
    rig.server.setAllowedSources(ONLY_THE_PHONE);
    const trunk = await TcpPhone.open(server);
    await vi.waitFor(() => expect(rig.server.statistics.connections).toBe(5));
    for (const { socket } of [...unknownPhones, trunk]) socket.destroy();
    await rig.close();
  });

  it('can be called, answers, and may end that call', async () => {
    const rig = await ServerRig.start({}, ELSEWHERE);
    const calling = rig.srf.createUAC(rig.phone.uri, { localSdp: SDP });
    const invite = await rig.phone.nextRequest('INVITE');
    rig.phone.respond(invite, 200, { lines: [`Contact: <${rig.phone.uri}>`], body: SDP });
    const dialog = await calling;
    const ended = new Promise<void>((resolve) => dialog.on('destroy', () => resolve()));
    const header = (name: string) => invite.headers.find((one) => one.name === name)?.value ?? '';
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

  it('loses the connection that it says so on', async () => {
    const rig = await ServerRig.start({}, ELSEWHERE);
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
  ])('«%s» gets no answer even where calls from everywhere are wanted', async (line) => {
    const rig = await ServerRig.start();
    const lines = [rig.phone.via(rig.phone.branch()), line, 'To: <sip:a@b>', 'Call-ID: x', 'CSeq: 1 OPTIONS'];
    rig.phone.send(rig.phone.request('OPTIONS', 'sip:a@127.0.0.1', lines));
    await rig.settle();
    expect(rig.server.statistics.scanners).toBe(1);
    expect(rig.phone.unread).toEqual([]);
    await rig.close();
  });

  it('is none where its address is a trunk’s: a test tool of the site’s own', async () => {
    const rig = await ServerRig.start({}, ONLY_THE_PHONE);
    rig.srf.invite((_req, res) => void res.send(486));
    rig.phone.newCall({ extra: ['User-Agent: sipcli/v1.8'] }).invite();
    await rig.phone.nextResponse('INVITE', 486);
    await rig.close();
  });
});

describe('wrong guesses', () => {
  const limits = { wrongGuessesPerSourceMax: 3, wrongGuessesPerSecondPerSource: 1 };

  it('of an address are limited; time gives it new ones', async () => {
    const rig = await ServerRig.start(limits);
    rig.srf.invite((_req, res) => void res.send(404));
    for (let tries = 0; tries < 3; tries++) {
      rig.phone.newCall().invite();
      await rig.phone.nextResponse('INVITE', 404);
    }
    rig.phone.newCall().invite();
    await rig.settle();
    expect(rig.server.statistics.guessesLimited).toBe(1);
    expect(rig.phone.unread.filter((message) => message.kind === 'response' && message.status > 100)).toEqual([]);
    rig.clock.advance(1_000);
    rig.phone.newCall().invite();
    await rig.phone.nextResponse('INVITE', 404);
    await rig.close();
  });

  it('are not counted of a trunk’s address', async () => {
    const rig = await ServerRig.start(limits, ONLY_THE_PHONE);
    rig.srf.invite((_req, res) => void res.send(404));
    for (let tries = 0; tries < 8; tries++) {
      rig.phone.newCall().invite();
      await rig.phone.nextResponse('INVITE', 404);
    }
    await rig.close();
  });

  it.each([180, 486, 503])('are none where somebody was found: %i', async (status) => {
    const rig = await ServerRig.start(limits);
    rig.srf.invite((_req, res) => void res.send(status));
    for (let tries = 0; tries < 8; tries++) {
      rig.phone.newCall().invite();
      await rig.phone.nextResponse('INVITE', status);
    }
    expect(rig.server.statistics.guessesLimited).toBe(0);
    await rig.close();
  });

  it('do not mount up with those who answer their challenges', async () => {
    const rig = await ServerRig.start(limits);
    rig.srf.invite((req, res) => void res.send(req.has('Authorization') ? 486 : 401));
    for (let calls = 0; calls < 8; calls++) {
      rig.phone.newCall().invite();
      await rig.phone.nextResponse('INVITE', 401);
      rig.phone.newCall({ extra: ['Authorization: Digest username="a"'] }).invite();
      await rig.phone.nextResponse('INVITE', 486);
    }
    await rig.close();
  });

  it('of many addresses are limited together', async () => {
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
    await vi.waitFor(() => expect(rig.server.statistics.guessesLimited).toBe(3));
    await rig.close();
  });
});

it('requests of unknown sources take no place among the transactions', async () => {
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
  /** In portions: the kernel's buffer is not what is tried here. */
  const PORTIONS = 20;
  const PORTION = 100;
  const KINDS = ['', 'User-Agent: friendly-scanner', 'CSeq: again', 'Content-Length: 99999'];

  it.each([
    ['of strangers', { listed: ['127.0.0.1'], open: false }],
    ['where calls from everywhere are wanted', { listed: [], open: true }],
  ])('%s ends no call, holds no place and leaves nothing behind', async (_whose, sources) => {
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
    await vi.waitFor(() => expect(ended).toHaveLength(2));
    const flood = createSocket('udp4');
    await new Promise<void>((resolve) => flood.bind(0, '127.0.0.2', resolve));
    let answers = 0;
    flood.on('message', () => answers++);
    for (let portion = 0; portion < PORTIONS; portion++) {
      for (let turn = 0; turn < PORTION; turn++) {
        const lines = [
          `Via: SIP/2.0/UDP 127.0.0.2;rport;branch=z9hG4bK-${portion}-${turn}`,
          `From: <sip:100@127.0.0.2>;tag=${turn}`,
          'To: <sip:900@127.0.0.1>',
          `Call-ID: ${portion}-${turn}`,
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
      expect(unknownSources + scanners).toBeGreaterThan((PORTIONS * PORTION) / 2);
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
