import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSignalling } from '../../../sip/signalling/create-signalling.ts';
import type { InboundInvite, Signalling } from '../../../sip/signalling/signalling.ts';
import { StandInServer } from './stand-in-server.ts';

let server: StandInServer;
let signalling: Signalling;

beforeEach(async () => {
  server = await StandInServer.start();
  signalling = await createSignalling({ server: () => server.location, onFault: () => {} });
});

afterEach(async () => {
  await signalling.close();
  await server.close();
});

const NAMES = [
  'Via: SIP/2.0/UDP 198.51.100.7;branch=z9hG4bKa',
  'From: <sip:a@198.51.100.7>;tag=1',
  'Call-ID: x',
  'CSeq: 1 INVITE',
];
const CONTACT = 'Contact: <sip:a@198.51.100.7>';

function fromNetwork(transactionId: string, dialogId: string, ...lines: string[]): void {
  const leader = `m|sip|network|9|udp|198.51.100.7|5060|0|${transactionId}|${dialogId}|192.0.2.1|5060|`;
  server.frame([leader, ...lines, '', ''].join('\r\n'));
}

/** Says yes to a command, and that this went out. */
function confirm(command: string, transactionId: string, dialogId: string, ...lines: string[]): void {
  const [id = ''] = command.split('|');
  const leader = `m|response|${id}|OK|application|9|udp|198.51.100.7|5060|0|${transactionId}|${dialogId}`;
  server.frame([leader, ...lines, '', ''].join('\r\n'));
}

describe('an INVITE from outside', () => {
  const arrive = async (): Promise<InboundInvite> => {
    const received = new Promise<InboundInvite>((resolve) => signalling.onInvite(resolve));
    fromNetwork('txn', 'dlg', 'INVITE sip:b@192.0.2.1 SIP/2.0', ...NAMES, 'To: <sip:b@192.0.2.1>', CONTACT);
    return received;
  };

  test('whose CANCEL crosses our 200 makes no dialog, and is told as cancelled', async () => {
    const invite = await arrive();
    let cancelled = 0;
    invite.onCancelled(() => {
      cancelled += 1;
    });
    const accepted = invite.accept('v=0\r\n');
    const [id] = (await server.command('sip|txn|')).split('|');
    fromNetwork('txn', '', 'CANCEL sip:b@192.0.2.1 SIP/2.0', ...NAMES, 'To: <sip:b@192.0.2.1>');
    server.frame(`m|response|${id}|NOK|unable to find an unanswered request`);
    expect(await accepted).toBeNull();
    expect(cancelled).toBe(1);
  });

  test('whose 200 the server cannot send for another reason is rejected', async () => {
    const accepted = (await arrive()).accept('v=0\r\n');
    const [id] = (await server.command('sip|txn|')).split('|');
    server.frame(`m|response|${id}|NOK|internal error`);
    await expect(accepted).rejects.toMatchObject({ code: 'transaction_lost' });
  });

  test('that the server ends for want of an ACK is rejected', async () => {
    const accepted = (await arrive()).accept('v=0\r\n');
    const ok = ['SIP/2.0 200 OK', ...NAMES, 'To: <sip:b@192.0.2.1>;tag=2', 'Contact: <sip:b@192.0.2.1>'];
    confirm(await server.command('sip|txn|'), 'txn', 'dlg', ...ok);
    const bye = [
      'BYE sip:a@198.51.100.7 SIP/2.0',
      ...NAMES,
      'To: <sip:b@192.0.2.1>;tag=2',
      'Reason: SIP;text="ACK timeout"',
    ];
    server.frame(['m|sip|application|9|udp|198.51.100.7|5060|0|unsolicited|dlg|', ...bye, '', ''].join('\r\n'));
    await expect(accepted).rejects.toMatchObject({ code: 'transaction_lost', message: 'no ACK' });
  });

  test('whose BYE stands right behind the word that the 200 went out was answered', async () => {
    const accepted = (await arrive()).accept('v=0\r\n');
    const ok = ['SIP/2.0 200 OK', ...NAMES, 'To: <sip:b@192.0.2.1>;tag=2', 'Contact: <sip:b@192.0.2.1>'];
    confirm(await server.command('sip|txn|'), 'txn', 'dlg', ...ok);
    fromNetwork('txn2', 'dlg', 'BYE sip:b@192.0.2.1 SIP/2.0', ...NAMES, 'To: <sip:b@192.0.2.1>;tag=2');
    const dialog = await accepted;
    const cause = new Promise((resolve) => dialog?.onEnded(resolve));
    expect(await cause).toBe('remote_bye');
    expect(await server.command('sip|txn2|')).toContain('SIP/2.0 200 OK');
  });
});

describe('an INVITE of ours', () => {
  const order = {
    trunk: { host: '198.51.100.7', port: null, transport: 'udp' },
    to: '100',
    from: '200',
    headers: {},
    offer: 'v=0\r\n',
    ringTimeoutMs: 60_000,
  } as const;

  test('whose 2xx is faster than its CANCEL is acknowledged and ended with BYE, and stays cancelled', async () => {
    const attempt = signalling.invite(order);
    const invite = await server.command('sip||\r\nINVITE');
    confirm(invite, 'txn', '', 'INVITE sip:100@198.51.100.7 SIP/2.0', ...NAMES, 'To: <sip:100@198.51.100.7>');
    fromNetwork('txn', 'dlg', 'SIP/2.0 180 Ringing', ...NAMES, 'To: <sip:100@198.51.100.7>;tag=2');
    await new Promise<void>((resolve) => attempt.onRinging(resolve));
    attempt.cancel();
    await server.command('sip|txn|\r\nCANCEL');
    fromNetwork('txn', 'dlg', 'SIP/2.0 200 OK', ...NAMES, 'To: <sip:100@198.51.100.7>;tag=2', CONTACT);
    await server.command('sip||dlg\r\nACK');
    await server.command('sip||dlg\r\nBYE');
    expect(await attempt.outcome).toEqual({ type: 'cancelled' });
  });

  test('that the server will not send is refused without a status', async () => {
    const attempt = signalling.invite(order);
    const [id] = (await server.command('sip||\r\nINVITE')).split('|');
    server.frame(`m|response|${id}|NOK|too many dialogs`);
    expect(await attempt.outcome).toEqual({ type: 'refused', status: null, reason: 'too many dialogs' });
  });
});
