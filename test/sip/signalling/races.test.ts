import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

/** Confirms a command and reports the sent message. */
function confirm(command: string, transactionId: string, dialogId: string, ...lines: string[]): void {
  const [id = ''] = command.split('|');
  const leader = `m|response|${id}|OK|application|9|udp|198.51.100.7|5060|0|${transactionId}|${dialogId}`;
  server.frame([leader, ...lines, '', ''].join('\r\n'));
}

describe('an inbound INVITE', () => {
  const receiveInvite = async (): Promise<InboundInvite> => {
    const received = new Promise<InboundInvite>((resolve) => signalling.onInvite(resolve));
    fromNetwork('txn', 'dlg', 'INVITE sip:b@192.0.2.1 SIP/2.0', ...NAMES, 'To: <sip:b@192.0.2.1>', CONTACT);
    return received;
  };

  it('makes no dialog when its CANCEL crosses our 200, and reports the cancellation', async () => {
    const invite = await receiveInvite();
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

  it('rejects `accept` when the server cannot send the 200', async () => {
    const accepted = (await receiveInvite()).accept('v=0\r\n');
    const [id] = (await server.command('sip|txn|')).split('|');
    server.frame(`m|response|${id}|NOK|internal error`);
    await expect(accepted).rejects.toMatchObject({ code: 'transaction_lost' });
  });

  it('rejects `accept` when the server ends the dialog without an ACK', async () => {
    const accepted = (await receiveInvite()).accept('v=0\r\n');
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

  it('gets one BYE when the server is lost before it confirms the 200', async () => {
    const accepted = (await receiveInvite()).accept('v=0\r\n');
    const ok = await server.command('sip|txn|');
    const tag = /^To: .*;tag=(\S+)\r$/im.exec(ok)?.[1];
    server.drop();
    await expect(accepted).rejects.toMatchObject({ code: 'transaction_lost' });
    const bye = await server.command('sip||');
    expect(bye).toMatch(/^[^\n]+\nBYE sip:a@198\.51\.100\.7 SIP\/2\.0\r\n/);
    expect(bye).toMatch(new RegExp(`^From: <sip:b@192\\.0\\.2\\.1>;tag=${tag}\r$`, 'im'));
    expect(bye).toMatch(/^To: <sip:a@198\.51\.100\.7>;tag=1\r$/im);
    expect(bye).toMatch(/^Call-ID: x\r$/im);
    confirm(bye, 'bye', '', 'BYE sip:a@198.51.100.7 SIP/2.0', ...NAMES, 'To: <sip:b@192.0.2.1>');
    fromNetwork('bye', '', 'SIP/2.0 481 Unknown', ...NAMES.slice(0, 3), 'CSeq: 1 BYE', 'To: <sip:b@192.0.2.1>');
    fromNetwork(
      'later',
      '',
      'OPTIONS sip:b@192.0.2.1 SIP/2.0',
      ...NAMES.slice(0, 3),
      'CSeq: 1 OPTIONS',
      'To: <sip:b@192.0.2.1>',
    );
    await server.command('sip|later|');
    expect(server.commands.filter((command) => command.includes('\nBYE '))).toHaveLength(1);
  });

  it('gets no BYE when the server is lost after it refused the 200', async () => {
    const accepted = (await receiveInvite()).accept('v=0\r\n');
    const [id] = (await server.command('sip|txn|')).split('|');
    server.frame(`m|response|${id}|NOK|internal error`);
    await expect(accepted).rejects.toMatchObject({ code: 'transaction_lost' });
    server.refuses = true;
    server.drop();
    await expect.poll(() => signalling.addresses).toEqual([]);
    server.refuses = false;
    await expect.poll(() => signalling.addresses).not.toEqual([]);
    expect(server.commands.filter((command) => command.includes('\nBYE '))).toEqual([]);
  });

  it('counts as answered when a BYE directly follows the confirmation of the 200', async () => {
    const accepted = (await receiveInvite()).accept('v=0\r\n');
    const ok = ['SIP/2.0 200 OK', ...NAMES, 'To: <sip:b@192.0.2.1>;tag=2', 'Contact: <sip:b@192.0.2.1>'];
    confirm(await server.command('sip|txn|'), 'txn', 'dlg', ...ok);
    fromNetwork('txn2', 'dlg', 'BYE sip:b@192.0.2.1 SIP/2.0', ...NAMES, 'To: <sip:b@192.0.2.1>;tag=2');
    const dialog = await accepted;
    const cause = new Promise((resolve) => dialog?.onEnded(resolve));
    expect(await cause).toBe('remote_bye');
    expect(await server.command('sip|txn2|')).toContain('SIP/2.0 200 OK');
  });
});

describe('an outbound INVITE', () => {
  const inviteRequest = {
    trunk: { host: '198.51.100.7', port: null, transport: 'udp' },
    to: '100',
    from: '200',
    headers: {},
    offer: 'v=0\r\n',
    ringTimeoutMs: 60_000,
  } as const;

  it('stays cancelled when a 2xx overtakes the CANCEL, and ends that dialog with ACK and BYE', async () => {
    const attempt = signalling.invite(inviteRequest);
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

  it('is refused without a status when the server does not send it', async () => {
    const attempt = signalling.invite(inviteRequest);
    const [id] = (await server.command('sip||\r\nINVITE')).split('|');
    server.frame(`m|response|${id}|NOK|too many dialogs`);
    expect(await attempt.outcome).toEqual({ type: 'refused', status: null, reason: 'too many dialogs' });
  });
});
