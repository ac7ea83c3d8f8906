import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSignalling } from '../../../sip/signalling/create-signalling.ts';
import { StandInServer } from './stand-in-server.ts';

const REQUEST = [
  'm|sip|network|400|udp|198.51.100.7|5062|0|txn|dlg|192.0.2.1|5060|',
  'INVITE sip:100@192.0.2.1 SIP/2.0',
  'Via: SIP/2.0/UDP 198.51.100.7;branch=z9hG4bKa',
  'From: <sip:alice@198.51.100.7>;tag=1',
  'To: <sip:100@192.0.2.1>',
  'Call-ID: x',
  'CSeq: 1 INVITE',
  'Contact: <sip:alice@198.51.100.7>',
  '',
  '',
].join('\r\n');

let server: StandInServer;

beforeEach(async () => {
  // The library prints messages that it cannot parse.
  vi.spyOn(console, 'error').mockImplementation(() => {});
  server = await StandInServer.start();
});

afterEach(async () => {
  await server.close();
  vi.restoreAllMocks();
});

/** Sends an OPTIONS and waits for its response, which proves that the connection is open. */
async function answersOptions(id: string): Promise<void> {
  const options = REQUEST.replaceAll('INVITE', 'OPTIONS').replace('|txn|dlg|', `|${id}||`);
  server.frame(options);
  await server.command(`sip|${id}|`);
}

it('survives any frame, and keeps the connection', async () => {
  const signalling = await createSignalling({ server: () => server.location, onFault: () => {} });
  const accepted: Promise<unknown>[] = [];
  signalling.onInvite((invite) => {
    invite.ring();
    accepted.push(invite.accept('v=0\r\n').catch(() => null));
  });
  const change = fc.tuple(fc.nat({ max: REQUEST.length - 1 }), fc.string({ unit: 'binary-ascii', maxLength: 3 }));
  const mutated = fc
    .array(change, { minLength: 1, maxLength: 6 })
    .map((changes) => changes.reduce((text, [at, piece]) => text.slice(0, at) + piece + text.slice(at + 1), REQUEST));
  const responses = fc.constantFrom(
    'm|response|',
    `m|response|${'x'.repeat(36)}|OK|`,
    'm|sip|',
    'm|cdr:start|a|b\r\nx',
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(mutated, responses, fc.string({ minLength: 1 })), fc.uuid(), async (frame, id) => {
      server.frame(frame);
      await answersOptions(id);
    }),
    { numRuns: 300 },
  );
  expect(server.commands.filter((command) => command.includes('|authenticate|'))).toHaveLength(1);
  await signalling.close();
  await Promise.all(accepted);
});
