import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callLogger, createLogger, type LogFormat } from '../../../src/log/log.ts';

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const CALL_ID = '12345678-1234-4123-8123-123456789012';

function logged(
  write: (log: ReturnType<typeof createLogger>) => void,
  secrets: readonly string[] = [],
  format?: LogFormat,
): string {
  let lines = '';
  const destination = {
    write: (line: string): void => {
      lines += line;
    },
  };
  write(createLogger({ level: 'debug', ...(format !== undefined && { format }), secrets, destination }));
  return lines;
}

const messageOf = (text: string): string => JSON.parse(logged((log) => log.info(text))).msg;

describe('the log', () => {
  it.each([
    ['call from +33612345612 ends', 'call from +33•••••••12 ends'],
    ['+14155550123,+79161234567;+447700900123;+3725551234', '+1••••••••23,+7••••••••67;+44••••••••23;+372•••••34'],
    ['at +33 6 12 34 56 12 or +1 (415) 555-0123.', 'at +33 • •• •• •• 12 or +1 (•••) •••-••23.'],
    ['0612345612 called 0033612345612', '••••••••12 called •••••••••••12'],
    [
      'INVITE sip:+33612345612@trunk.example;user=phone SIP/2.0',
      'INVITE sip:+33•••••••12@trunk.example;user=phone SIP/2.0',
    ],
    ['<sip:0612345612@10.0.0.1:5060> <sips:alice:pw@b.example>', '<sip:••••••••12@10.0.0.1:5060> <sips:***@b.example>'],
    ['sip:%2B33612345612@a.example', 'sip:***@a.example'],
    ['tel:+33-6-12-34-56-12', 'tel:+33-•-••-••-••-12'],
    ['two lines\n0612345612', 'two lines\n••••••••12'],
  ])('masks the number in «%s»', (text, masked) => expect(messageOf(text)).toBe(masked));

  it.each([
    'RTP 20000-20100 from 192.168.100.200:20002 at 2026-11-20T20:44:04.123Z',
    `call ${CALL_ID} took 0.12345678 s, 1234 packets`,
    'sha 1234567a, SIP/2.0 486, z9hG4bK1234567890',
    'sip:trunk.example:5060',
  ])('does not change «%s»', (text) => expect(messageOf(text)).toBe(text));

  it('masks numbers in nested fields, lists, keys, errors and bindings', () => {
    const line = logged((log) => {
      const error = new Error('no route to +33612345612', { cause: new Error('sip:+33612345612@a.example refused') });
      log
        .child({ from: '+33612345612' })
        .warn({ err: error, a: { b: [{ to: '+33612345612' }], '+33612345612': 1 }, from_number: 33612345612 }, 'dial');
    });
    expect(line).not.toMatch(/6123456/);
    expect(JSON.parse(line)).toMatchObject({
      from: '+33•••••••12',
      a: { b: [{ to: '+33•••••••12' }], '+33•••••••12': 1 },
    });
  });

  it('keeps times and counts, which are not phone numbers', () => {
    const line = JSON.parse(logged((log) => log.info({ atUs: 1234567890, ssrc: 3735928559 }, 'x')));
    expect(line).toMatchObject({ atUs: 1234567890, ssrc: 3735928559, level: 'info' });
    expect(line.time).toMatch(ISO_TIME);
    expect(Date.parse(line.time)).toBeGreaterThan(1_700_000_000_000);
  });

  it('masks the whole of a secret that contains another one', () => {
    const line = logged((log) => log.info('key is short-key-and-more'), ['short-key', 'short-key-and-more']);
    expect(JSON.parse(line).msg).toBe('key is ***');
  });

  it('masks secrets by field, by form, and by value in any place', () => {
    const line = logged(
      (log) => {
        log.info({
          headers: { authorization: 'abc', 'x-api-key': 'def', Cookie: ['ghi'] },
          webhook_secret: { a: 'jkl' },
        });
        log.info(
          'Authorization: Bearer mnopqrst and whsec_uvwxyz01 at wss://u:p4ss@h/?access_token=tok1234&x=1 sk-proj-12345678',
        );
        log.info({ url: 'https://a.example/hidden-master-key/b' }, 'uses hidden-master-key');
      },
      ['hidden-master-key', 'x'],
    );
    expect(line).not.toMatch(/abc|def|ghi|jkl|mnop|uvwx|p4ss|tok1234|12345678|hidden-master-key/);
    expect(line).toContain('&x=1');
  });

  it.each([
    ['Basic dXNlcjpwYXNz', 'Basic ***'],
    ['bearer abc', 'bearer ***'],
    ['whsec_abc', 'whsec_***'],
    ['sk-abcdefgh', 'sk-***'],
    ['postgres://user:pass@host/db', 'postgres://***@host/db'],
    ['TOKEN=abc', 'TOKEN=***'],
    ['apikey: abc', 'apikey: ***'],
    ['password=abc', 'password=***'],
    ['secret = abc', 'secret = ***'],
    ['signature=abc', 'signature=***'],
    ['SIP:alice@host', 'SIP:***@host'],
  ])('masks «%s», which has no other form of a secret', (text, masked) => expect(messageOf(text)).toBe(masked));

  it('masks a name and its value each time that the name occurs', () => {
    const record = { '+33612345612': 1, webhook_secret: 'abc', from_number: 33612345612 };
    const lines = logged((log) => {
      log.info(record, 'one');
      log.info(record, 'two');
    });
    for (const line of lines.trim().split('\n')) {
      expect(JSON.parse(line)).toMatchObject({ '+33•••••••12': 1, webhook_secret: '***', from_number: '•••••••••12' });
    }
  });

  it('truncates long values without leaving part of a number', () => {
    const cut = messageOf(`${'x'.repeat(16_375)} +33612345612 and more`);
    expect(cut).toMatch(/^x+…$/);
    expect(messageOf('sip:'.repeat(100_000)).length).toBeLessThan(17_000);
  });

  it('writes the call id in every line of the logger of a call', () => {
    const lines = logged((log) => {
      const call = callLogger(log, CALL_ID);
      call.info('one');
      call.error(new Error('two'));
    });
    const ids = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).call_id);
    expect(ids).toEqual([CALL_ID, CALL_ID]);
  });

  it('escapes the control characters that JSON leaves as they are', () => {
    const line = logged((log) => log.info({ cause: '\u009b31m\u202e' }, 'INVITE refused'));
    expect(line).toContain('"cause":"\\u009b31m\\u202e"');
    expect(JSON.parse(line)).toMatchObject({ cause: '\u009b31m\u202e' });
  });

  it('never reveals the middle of a number, in any context', () => {
    const around = fc.stringMatching(/^[ \n,:;()<>"'/\\]*$/);
    fc.assert(
      fc.property(around, fc.stringMatching(/^\+[1-9]\d{9,13}$/), around, (before, number, after) => {
        const line = logged((log) =>
          log.info({ nested: { text: `${before}${number}${after}` } }, `${before}${number}${after}`),
        );
        expect(line).not.toContain(number.slice(4));
      }),
    );
  });
});

describe('the log in text format', () => {
  const pretty = (write: Parameters<typeof logged>[0]) => logged(write, [], 'pretty');

  it('writes time, level, event and fields on one line', () => {
    const line = pretty((log) =>
      log.warn({ trunk_id: 'abc', status: 503, error: 'no answer' }, 'trunk became unreachable'),
    );
    expect(line).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} WARN {2}trunk became unreachable trunk_id=abc status=503 error="no answer"\n$/,
    );
  });

  it('masks numbers as the JSON format does', () => {
    expect(pretty((log) => log.info({ from: '+33612345612' }, 'call started'))).toContain('from=+33•••••••12');
  });

  it('writes the stack of an error below its line', () => {
    const lines = pretty((log) => log.error({ err: new Error('no route') }, 'call error'))
      .trimEnd()
      .split('\n');
    expect(lines[0]).toMatch(/ERROR call error$/);
    expect(lines[1]).toBe('    Error: no route');
    expect(lines[2]).toMatch(/^ {4}at /);
  });

  it('prints no control character or line break from a logged value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const line = pretty((log) => log.info({ cause: `\u001b[2J\n${text}\u202e` }, 'INVITE refused'));
        expect(line.slice(0, -1)).not.toMatch(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});
