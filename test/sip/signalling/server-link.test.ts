import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DialogRecovery } from '../../../sip/dialog/dialog-recovery.ts';
import type { InviteRefusal } from '../../../sip/message/invite-refusal.ts';
import { createSignalling } from '../../../sip/signalling/create-signalling.ts';
import type { DrachtioServer } from '../../../sip/signalling/server-link.ts';
import type { InviteRequest, Signalling } from '../../../sip/signalling/signalling.ts';
import { StandInServer } from './stand-in-server.ts';

const INVITE_REQUEST: InviteRequest = {
  trunk: { host: '192.0.2.9', port: null, transport: 'udp' },
  to: '100',
  from: '200',
  headers: {},
  offer: 'v=0\r\n',
  ringTimeoutMs: 60_000,
};

const RECOVERY: DialogRecovery = {
  sipCallId: 'x',
  localUri: '<sip:a@b>;tag=1',
  remoteUri: '<sip:c@d>;tag=2',
  localCseq: 1,
  routeSet: [],
  remoteTarget: 'sip:c@d',
  transport: 'udp',
  source: null,
};

let server: StandInServer;
const faults: unknown[] = [];
const refusals: InviteRefusal[] = [];
const opened: Signalling[] = [];

beforeEach(async () => {
  faults.length = 0;
  refusals.length = 0;
  server = await StandInServer.start();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(opened.splice(0).map((signalling) => signalling.close()));
  await server.close();
});

async function open(locate: () => DrachtioServer = () => server.location): Promise<Signalling> {
  const signalling = await createSignalling({
    server: locate,
    onFault: (error) => faults.push(error),
    onInviteRefused: (refusal) => refusals.push(refusal),
  });
  opened.push(signalling);
  return signalling;
}

function options(): void {
  server.frame(
    `m|sip|network|9|udp|192.0.2.1|5060|0|txn||\r\nOPTIONS sip:a@b SIP/2.0\r\nCall-ID: x\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:a@b>\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n`,
  );
}

describe('connecting', () => {
  it('routes INVITE to us and reports the addresses of supported transports', async () => {
    const signalling = await open();
    await server.command('route|invite');
    expect(signalling.addresses).toEqual([
      { transport: 'udp', host: '192.0.2.1', port: 5060 },
      { transport: 'tcp', host: '2001:db8::1', port: 5060 },
    ]);
  });

  it('fails with a wrong secret, and closes the connection', async () => {
    await expect(open(() => ({ ...server.location, secret: 'wrong' }))).rejects.toThrow('wrong secret');
    await expect.poll(() => server.connections).toBe(0);
  });

  it('fails without a listener', async () => {
    const { location } = server;
    await server.close();
    await expect(open(() => location)).rejects.toThrow('cannot be reached');
    server = await StandInServer.start();
  });

  it('is not repeated after `close`', async () => {
    const signalling = await open();
    await signalling.close();
    await expect.poll(() => server.connections).toBe(0);
    expect(server.commands.filter((command) => command.includes('|authenticate|'))).toHaveLength(1);
  });
});

describe('an unexpected frame', () => {
  it.each([
    ['of an unknown type', 'm|nonsense|x'],
    ['without fields', 'm'],
    ['with a malformed message', 'm|sip|network|3|udp|192.0.2.1|5060|0|t|d|\r\nabc'],
    ['with a reply to an unknown command', 'm|response|unknown|OK'],
    ['with a SIP response without a request', 'm|sip|network|9|udp|192.0.2.1|5060|0|t|d|\r\nSIP/2.0 200 OK\r\n\r\n'],
    [
      'with a BYE of an unknown dialog',
      'm|sip|application|9|udp|192.0.2.1|5060|0|unsolicited|d|\r\nBYE sip:a SIP/2.0\r\n\r\n',
    ],
  ])('%s does not affect later frames', async (_, frame) => {
    // The library prints messages that it cannot parse.
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const signalling = await open();
    signalling.onOptions(() => null);
    server.frame(frame);
    options();
    const answer = await server.command('sip|txn|');
    expect(answer).toContain('SIP/2.0 200 OK');
    expect(signalling.addresses).toHaveLength(2);
  });

  it('with an unreadable length closes the connection, which is then reopened', async () => {
    await open();
    server.commands.length = 0;
    server.raw('nonsense#');
    await server.command('authenticate|');
    expect(faults).toHaveLength(1);
  });
});

describe('an INVITE', () => {
  const invite = (lines: readonly string[], body = '') =>
    server.frame(
      [
        'm|sip|network|9|udp|198.51.100.7|5062|0|txn|dlg|',
        'INVITE sip:%2B100@192.0.2.1 SIP/2.0',
        'Via: SIP/2.0/UDP 198.51.100.7;branch=z9hG4bKa',
        'From: <sip:alice@198.51.100.7>;tag=1',
        'Call-ID: x',
        'CSeq: 1 INVITE',
        ...lines,
        '',
        body,
      ].join('\r\n'),
    );
  const mandatoryLines = ['To: <sip:100@192.0.2.1>', 'Contact: <sip:alice@198.51.100.7>'];

  it('without a handler is answered 503 with Retry-After, as OPTIONS is', async () => {
    await open();
    const retried = /SIP\/2\.0 503 .*\nretry-after: 5\r?\n/is;
    options();
    expect(await server.command('sip|txn|')).toMatch(retried);
    server.commands.length = 0;
    invite(mandatoryLines);
    expect(await server.command('sip|txn|')).toMatch(retried);
    expect(refusals).toEqual([
      {
        cause: 'unavailable',
        status: 503,
        detail: 'no handler takes INVITEs',
        caller: 'alice',
        dialled: '+100',
        source: { address: '198.51.100.7', port: 5062, transport: 'udp' },
      },
    ]);
  });

  it('is answered 500 when its handler throws, and the error is reported', async () => {
    const signalling = await open();
    signalling.onInvite(() => {
      throw new Error('broken');
    });
    invite(mandatoryLines);
    expect(await server.command('sip|txn|')).toContain('SIP/2.0 500 ');
    expect(faults).toEqual([expect.objectContaining({ message: 'broken' })]);
    expect(refusals).toMatchObject([{ cause: 'internal_error', status: 500 }]);
  });

  it.each([
    ['in an unknown dialog', ['To: <sip:100@192.0.2.1>;tag=9', 'Contact: <sip:a@b>'], '', 481],
    ['without Contact', ['To: <sip:100@192.0.2.1>'], '', 400],
    ['with a body that is not SDP', [...mandatoryLines, 'Content-Type: text/plain'], 'hello', 415],
    ['with a short session interval', [...mandatoryLines, 'Supported: timer', 'Session-Expires: 30'], '', 422],
    ['that is malformed', ['To: "', 'Contact: <sip:a@b>'], '', 400],
  ])('%s is refused and reported without calling the handler', async (_, lines, body, status) => {
    const signalling = await open();
    const seen: unknown[] = [];
    signalling.onInvite((received) => seen.push(received));
    invite(lines, body);
    expect(await server.command('sip|txn|')).toContain(`SIP/2.0 ${status} `);
    expect(seen).toEqual([]);
    expect(refusals).toMatchObject([{ cause: 'invalid_request', status, source: { address: '198.51.100.7' } }]);
  });

  it.each(['Content-Encoding', 'e'])(
    'with a compressed body (%s) gets 415 with the accepted encoding',
    async (name) => {
      const signalling = await open();
      const seen: unknown[] = [];
      signalling.onInvite((received) => seen.push(received));
      invite([...mandatoryLines, 'Content-Type: application/sdp', `${name}: gzip`], 'v=0');
      expect(await server.command('sip|txn|')).toMatch(
        /^[^\n]*\r\nSIP\/2\.0 415 [\s\S]*^Accept-Encoding: identity\r$/im,
      );
      expect(seen).toEqual([]);
    },
  );

  it('gets the accepted types in its 415', async () => {
    await open();
    invite([...mandatoryLines, 'Content-Type: text/plain'], 'hello');
    expect(await server.command('sip|txn|')).toMatch(/^Accept: application\/sdp, multipart\/mixed\r$/im);
  });

  it('reports the dialled number, the caller and the source', async () => {
    const signalling = await open();
    const received = new Promise<unknown>((resolve) => signalling.onInvite(resolve));
    invite([...mandatoryLines, 'x-service-call-id: 42', 'Content-Type: application/sdp'], 'v=0');
    expect(await received).toMatchObject({
      sipCallId: 'x',
      dialled: '+100',
      caller: 'alice',
      serviceCallId: '42',
      source: { address: '198.51.100.7', port: 5062, transport: 'udp' },
      offer: 'v=0',
    });
  });

  it('is cancelled when the connection is lost before its answer', async () => {
    const signalling = await open();
    const cancelled = new Promise<void>((resolve) => signalling.onInvite((received) => received.onCancelled(resolve)));
    invite(mandatoryLines);
    await server.command('route|invite');
    server.drop();
    await cancelled;
  });
});

describe('when the connection is lost', () => {
  it('an outbound call is refused without a status', async () => {
    const signalling = await open();
    const attempt = signalling.invite(INVITE_REQUEST);
    await server.command('sip|');
    server.drop();
    expect(await attempt.outcome).toEqual({ type: 'refused', status: null, reason: 'the SIP server was lost' });
    attempt.cancel();
  });

  it('the next connection uses the current address of the server', async () => {
    let location = server.location;
    const signalling = await open(() => location);
    const next = await StandInServer.start();
    location = next.location;
    await server.close();
    await next.command('route|invite');
    await next.close();
    await signalling.close();
    server = await StandInServer.start();
  });

  it('an outbound call before the next connection is refused, and an invalid one throws', async () => {
    const signalling = await open();
    await server.close();
    await expect.poll(() => signalling.addresses).toEqual([]);
    expect(await signalling.invite(INVITE_REQUEST).outcome).toMatchObject({ type: 'refused', status: null });
    expect(() => signalling.invite({ ...INVITE_REQUEST, headers: { Via: 'x' } })).toThrow('Via cannot be set');
    await signalling.close();
    server = await StandInServer.start();
  });

  it('the BYE of an orphaned dialog is repeated by the next server if the current one exits', async () => {
    let attempts = 0;
    const endOrphan = async () => {
      attempts += 1;
      if (attempts > 1) return;
      server.refuses = true;
      server.drop();
      await expect.poll(() => signalling.addresses).toEqual([]);
      server.refuses = false;
    };
    const signalling = await open(() => ({ ...server.location, endOrphan }));
    await signalling.endOrphan(RECOVERY);
    expect(attempts).toBe(2);
  });

  it('the BYE of an orphaned dialog goes as a new request to a server that cannot end it, and again if that exits', async () => {
    const signalling = await open();
    const proxies = ['<sip:one.example;lr>', '<sip:two.example;lr>'];
    const ended = signalling.endOrphan({ ...RECOVERY, routeSet: proxies });
    const bye = await server.command('sip||');
    const [start = '', ...lines] = bye.split('\r\n').slice(1);
    const [method, uri = '', version] = start.split(' ');
    expect([method, uri.split('?')[0], version]).toEqual(['BYE', 'sip:c@d', 'SIP/2.0']);
    expect(new URLSearchParams(uri.split('?')[1]).get('Route')).toBe(proxies.join(','));
    expect(lines.map((line) => line.toLowerCase())).toEqual(
      expect.arrayContaining(['from: <sip:a@b>;tag=1', 'to: <sip:c@d>;tag=2', 'call-id: x', 'cseq: 1002 bye']),
    );
    server.commands.length = 0;
    server.drop();
    const [id] = (await server.command('sip||')).split('|');
    const message = (lead: string) =>
      `${lead}\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:c@d>;tag=2\r\nCall-ID: x\r\nCSeq: 1002 BYE\r\n\r\n`;
    server.frame(
      `m|response|${id}|OK|application|0|udp|192.0.2.9|5060|0|txn|Msg sent:|\r\n${message('BYE sip:c@d SIP/2.0')}`,
    );
    server.frame(`m|sip|network|0|udp|192.0.2.9|5060|0|txn||\r\n${message('SIP/2.0 200 OK')}`);
    await ended;
  });

  it('the BYE of an orphaned dialog that the server refuses to send is reported', async () => {
    const signalling = await open();
    const ended = signalling.endOrphan(RECOVERY);
    const [id] = (await server.command('sip||')).split('|');
    server.frame(`m|response|${id}|NOK|invalid request-uri`);
    await ended;
    expect(faults).toEqual([expect.objectContaining({ message: 'invalid request-uri' })]);
  });

  it('the BYE of an orphaned dialog waits for the next connection', async () => {
    const ended: DialogRecovery[] = [];
    const endOrphan = async (orphan: DialogRecovery) => void ended.push(orphan);
    const signalling = await open(() => ({ ...server.location, endOrphan }));
    server.refuses = true;
    server.drop();
    await expect.poll(() => signalling.addresses).toEqual([]);
    const ending = signalling.endOrphan(RECOVERY);
    server.refuses = false;
    await ending;
    expect(ended).toEqual([RECOVERY]);
  });
});
