import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DialogRecovery } from '../../../sip/dialog/dialog-recovery.ts';
import { createSignalling } from '../../../sip/signalling/create-signalling.ts';
import type { Signalling } from '../../../sip/signalling/signalling.ts';
import { StandInServer } from './stand-in-server.ts';

const NAMES = [
  'Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK1',
  'Max-Forwards: 70',
  'From: <sip:b@192.0.2.1>;tag=2',
  'To: <sip:a@198.51.100.7>;tag=1',
  'Call-ID: x',
  'CSeq: 1002 BYE',
];
const SOURCE = { address: '198.51.100.7', port: 40_000 };
const AT_SOURCE = 'sip:198.51.100.7:40000';

const TRUNK_ID = 'trunk-1';
const CREDENTIALS = { username: 'line-7', password: 'secret' };
const CHALLENGE = ['WWW-Authenticate: Digest realm="carrier", nonce="abc", algorithm=MD5'];

let server: StandInServer;
let signalling: Signalling;
const faults: unknown[] = [];

beforeEach(async () => {
  faults.length = 0;
  server = await StandInServer.start();
  signalling = await createSignalling({
    server: () => server.location,
    onFault: (error) => faults.push(error),
    credentialsOf: async (trunkId) => (trunkId === TRUNK_ID ? CREDENTIALS : null),
  });
});

afterEach(async () => {
  await signalling.close();
  await server.close();
  expect(faults).toEqual([]);
});

const recovery = (remoteTarget: string, change: Partial<DialogRecovery> = {}): DialogRecovery => ({
  sipCallId: 'x',
  localUri: '<sip:b@192.0.2.1>;tag=2',
  remoteUri: '<sip:a@198.51.100.7>;tag=1',
  localCseq: 1,
  routeSet: [],
  remoteTarget,
  transport: 'udp',
  source: SOURCE,
  ...change,
});

/** The BYEs so far: where the server was told to send them, and their Request-URI. */
const byes = () =>
  server.commands.flatMap((command) => {
    const [, proxy, uri] = /^[^|]+\|sip\|\|\|?([^\r\n]*)\r?\nBYE (\S+) /.exec(command) ?? [];
    return uri === undefined ? [] : [{ proxy, uri }];
  });

/** Confirms the nth BYE, and answers it with the status. */
async function answer(nth: number, status: number, extra: readonly string[] = []): Promise<void> {
  await expect.poll(() => byes().length).toBeGreaterThan(nth);
  const [id = ''] = (server.commands.filter((command) => command.includes('\nBYE '))[nth] ?? '').split('|');
  const transaction = `txn${nth}`;
  const sent = `m|response|${id}|OK|application|9|udp|198.51.100.7|5060|0|${transaction}|`;
  server.frame([sent, 'BYE sip:a@198.51.100.7 SIP/2.0', ...NAMES, '', ''].join('\r\n'));
  const received = `m|sip|network|9|udp|198.51.100.7|5060|0|${transaction}||192.0.2.1|5060|`;
  server.frame([received, `SIP/2.0 ${status} Status`, ...NAMES, ...extra, '', ''].join('\r\n'));
}

describe('the BYE of an orphaned dialog, on a server that keeps none', () => {
  it.each(['sip:a@10.0.0.5:5060', 'sip:a@192.168.1.7', 'sip:a@[fd00::5]'])(
    'goes to the source of its packets, once, where the Contact %s is private',
    async (uri) => {
      const ended = signalling.endOrphan(recovery(uri));
      await answer(0, 200);
      await ended;
      expect(byes()).toEqual([{ proxy: AT_SOURCE, uri }]);
    },
  );

  it('goes to a private Contact after all, where the source does not answer', async () => {
    const uri = 'sip:a@10.0.0.5:5060';
    const ended = signalling.endOrphan(recovery(uri));
    await answer(0, 408);
    await answer(1, 200);
    await ended;
    expect(byes()).toEqual([
      { proxy: AT_SOURCE, uri },
      { proxy: '', uri },
    ]);
  });

  it('goes to the Contact, and to the source where its name does not resolve', async () => {
    const uri = 'sip:a@nowhere.invalid';
    const ended = signalling.endOrphan(recovery(uri, { transport: 'tcp' }));
    await answer(0, 503);
    await answer(1, 200);
    await ended;
    expect(byes()).toEqual([
      { proxy: '', uri },
      { proxy: `${AT_SOURCE};transport=tcp`, uri },
    ]);
  });

  it.each([
    ['a public Contact that answers', recovery('sip:a@203.0.113.9'), 481],
    ['a Contact at the source', recovery('sip:a@198.51.100.7:5060'), 408],
    ['a private Contact without a known source', recovery('sip:a@10.0.0.5', { source: null }), 408],
  ])('goes once to %s', async (_, orphan, status) => {
    const ended = signalling.endOrphan(orphan);
    await answer(0, status);
    await ended;
    expect(byes()).toEqual([{ proxy: '', uri: orphan.remoteTarget }]);
  });

  it('answers a challenge with the credentials of its trunk, under the next CSeq', async () => {
    const ended = signalling.endOrphan(recovery('sip:a@198.51.100.7:5060', { trunkId: TRUNK_ID }));
    await answer(0, 401, CHALLENGE);
    await answer(1, 200);
    await ended;
    const [, repeated = ''] = server.commands.filter((command) => command.includes('\nBYE '));
    expect(repeated).toMatch(/^Authorization: Digest username="line-7".*realm="carrier"/im);
    expect(repeated).toMatch(/^CSeq: 1003 BYE/im);
    expect(repeated).toMatch(/^To: <sip:a@198\.51\.100\.7>;tag=1/im);
    expect(repeated).toMatch(/^Call-ID: x/im);
  });

  it.each([
    ['of a trunk that is gone', { trunkId: 'gone' }],
    ['stored by a version without the trunk', {}],
  ])('is sent once where it is challenged, %s', async (_, change) => {
    const ended = signalling.endOrphan(recovery('sip:a@198.51.100.7:5060', change));
    await answer(0, 407, CHALLENGE);
    await ended;
    expect(byes()).toHaveLength(1);
  });

  it('goes along the Route set alone', async () => {
    const ended = signalling.endOrphan(recovery('sip:a@10.0.0.5', { routeSet: ['<sip:198.51.100.8;lr>'] }));
    await answer(0, 503);
    await ended;
    expect(byes()).toEqual([{ proxy: '', uri: `sip:a@10.0.0.5?Route=${encodeURIComponent('<sip:198.51.100.8;lr>')}` }]);
  });
});
