import { expect, it } from 'vitest';
import { parseMessage } from '../../sip/message/parse-message.ts';
import type { SipMessage } from '../../sip/message/sip-message.ts';
import { bindUdp } from '../udp-port.ts';
import { MessageInbox } from './message-inbox.ts';
import { SipCallee } from './sip-callee.ts';

function message(start: string, cseq: string): SipMessage {
  const parsed = parseMessage(textOf(start, cseq, 'z9hG4bK1'));
  if (!parsed.ok) throw new Error(parsed.fault);
  return parsed.message;
}

function textOf(start: string, cseq: string, branch: string): Uint8Array {
  const lines = [
    start,
    `Via: SIP/2.0/UDP 127.0.0.1;branch=${branch}`,
    'From: <sip:a@b>;tag=a',
    'To: <sip:b@b>',
    'Call-ID: a',
    `CSeq: ${cseq}`,
    'Max-Forwards: 70',
    'Content-Length: 0',
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
}

it('an inbox delivers each message once, to the first matching waiter', async () => {
  const inbox = new MessageInbox();
  const waiting = inbox.request(['BYE', 'CANCEL']);
  inbox.push(message('SIP/2.0 180 Ringing', '1 INVITE'));
  inbox.push(message('BYE sip:a SIP/2.0', '2 BYE'));
  expect(await waiting).toMatchObject({ method: 'BYE' });
  expect(await inbox.response('INVITE', null)).toMatchObject({ status: 180 });
  expect(inbox.unread).toEqual([]);
});

it('an inbox reports the missing message after its time limit, and what has come instead', async () => {
  const inbox = new MessageInbox();
  inbox.push(message('SIP/2.0 200 OK', '1 INVITE'));
  await expect(inbox.response('BYE', 200, 1)).rejects.toThrow('no 200 to BYE within 1 ms, but 200 to INVITE');
  expect(inbox.unread).toHaveLength(1);
});

it('a callee stores a retransmitted request once, and answers it each time', async () => {
  const callee = await SipCallee.open();
  const socket = await bindUdp('127.0.0.1');
  try {
    callee.onRequest = (request) => callee.respond(request, 486, 'Busy Here');
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    let answers = 0;
    socket.on('message', () => {
      answers++;
      if (answers === 3) resolve();
    });
    for (const branch of ['z9hG4bK1', 'z9hG4bK1', 'z9hG4bK2']) {
      socket.send(textOf('INVITE sip:a@b SIP/2.0', '1 INVITE', branch), callee.hop.port, callee.hop.host);
    }
    await answered;
    expect(callee.methods()).toEqual(['INVITE', 'INVITE']);
  } finally {
    socket.close();
    callee.close();
  }
});
