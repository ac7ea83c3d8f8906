import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SDP } from '../../sip-endpoint/sip-phone.ts';
import { ServerRig } from '../server/server-rig.ts';

/** Runs of each property: enough to reach every rule, within about a second. */
const RUNS = 200;

describe('the server survives', () => {
  let rig: ServerRig;

  beforeAll(async () => {
    rig = await ServerRig.start({ messagesPerSecondPerAddress: 1_000_000 });
    rig.srf.invite((req, res) => {
      rig.srf.createUAS(req, res, { localSdp: SDP }).catch(() => undefined);
    });
  });

  afterAll(async () => {
    expect(rig.server.statistics.internalErrors).toBe(0);
    await rig?.close();
    expect(rig.clock.pending).toBe(0);
    expect(rig.server.statistics).toMatchObject({ transactions: 0, dialogs: 0, timers: 0 });
  });

  const methods = fc.constantFrom(
    'INVITE',
    'ACK',
    'BYE',
    'CANCEL',
    'OPTIONS',
    'UPDATE',
    'PRACK',
    'NOTIFY',
    'X-Y',
    'SIP/2.0',
  );
  const branches = fc.constantFrom('z9hG4bK1', 'z9hG4bK2', '1', '');
  const tags = fc.constantFrom('', ';tag=a', ';tag=b', ';tag=', ';tag=a|b');
  const callIds = fc.constantFrom('one', 'two', 'a|b', 'ü', '');
  const extras = fc.constantFrom(
    'Contact: <sip:x@no-such-host.invalid>',
    'Contact: *',
    'Contact: <tel:+49301234>',
    'Record-Route: <sip:127.0.0.1:9;lr>',
    'Record-Route: <sips:127.0.0.1>',
    'Require: 100rel',
    'Route: <sip:127.0.0.1>',
    'Subject: "a\\\0b"',
    'v: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK3',
    'To: <sip:second@x>',
  );

  const messages = fc
    .record({
      method: methods,
      branch: branches,
      fromTag: tags,
      toTag: tags,
      callId: callIds,
      cseq: fc.constantFrom('0', '1', '2', '2147483647', '4294967296', 'x'),
      extra: fc.array(extras, { maxLength: 3 }),
      body: fc.constantFrom('', SDP, '\r\n\r\n'),
    })
    .map(({ method, branch, fromTag, toTag, callId, cseq, extra, body }) =>
      [
        `${method} sip:agent@127.0.0.1 SIP/2.0`,
        `Via: SIP/2.0/UDP 127.0.0.1:${rig.phone.port};branch=${branch};rport`,
        `From: <sip:a@127.0.0.1>${fromTag}`,
        `To: <sip:b@127.0.0.1>${toTag}`,
        `Call-ID: ${callId}`,
        `CSeq: ${cseq} ${method}`,
        ...extra,
        `Content-Length: ${Buffer.byteLength(body)}`,
        '',
        body,
      ].join('\r\n'),
    );

  it('any requests, in any order, at any time', async () => {
    const steps = fc.array(fc.tuple(messages, fc.constantFrom(0, 0, 500, 5_000, 32_000)), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        for (const [text, ms] of script) {
          rig.phone.send(text);
          await rig.settle();
          rig.clock.advance(ms);
        }
        expect(rig.server.statistics.internalErrors).toBe(0);
      }),
      { numRuns: RUNS },
    );
  });

  it('any commands on an authenticated connection', async () => {
    const { host, port } = rig.server.applicationAddress;
    const socket = connect(port, host);
    socket.on('error', () => undefined);
    let answers = 0;
    socket.on('data', (chunk) => {
      answers += chunk.toString().split('|response|').length - 1;
    });
    const write = (payload: string) => socket.write(`${Buffer.byteLength(payload)}#${payload}`);
    write('id|authenticate|secret-of-the-rig|');
    const ids = fc.constantFrom('', 'x', 'one;from-tag=a', '|', '__proto__');
    const starts = fc.constantFrom(
      'INVITE sip:a@127.0.0.1:9 SIP/2.0',
      'BYE sip:placeholder SIP/2.0',
      'ACK sip:a@b SIP/2.0',
      'CANCEL sip:a@b SIP/2.0',
      'SIP/2.0 200 OK',
      'SIP/2.0 99 X',
      'x',
    );
    const headers = fc.constantFrom(
      'From: <sip:a@b>;tag=|',
      'To: x',
      'Contact: <>',
      'CSeq: 1 BYE',
      'Call-ID: a b',
      'Via: x',
      'X-Note: y',
    );
    await fc.assert(
      fc.asyncProperty(
        ids,
        ids,
        ids,
        starts,
        fc.array(headers, { maxLength: 3 }),
        async (txn, dialog, route, start, lines) => {
          write(`id|sip|${txn}|${dialog}|${route}\r\n${[start, ...lines, 'content-length: 0', '', ''].join('\r\n')}`);
          await rig.settle();
          expect(rig.server.statistics.internalErrors).toBe(0);
        },
      ),
      { numRuns: RUNS },
    );
    expect(answers).toBeGreaterThan(RUNS / 2);
    socket.destroy();
  });
});
