import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseMessage } from '../../../sip/message/parse-message.ts';

/** The SIP torture tests of RFC 4475, one file a message, kept beside the checkout where they are at hand. */
const FOLDER = new URL('../../../../shared/data/rfc4475/', import.meta.url);

/** §3.1.1, valid messages; §3.2 to §3.4, messages that are well-formed and wrong in their meaning only. */
const ACCEPTED = [
  ...['wsinv', 'intmeth', 'esc01', 'escnull', 'esc02', 'lwsdisp', 'longreq', 'dblreq', 'semiuri', 'transports'],
  ...['mpart01', 'unreason', 'noreason'],
  ...['badbranch', 'unkscm', 'novelsc', 'unksm2', 'bext01', 'invut', 'regaut01', 'bcast', 'zeromf', 'cparam01'],
  ...['cparam02', 'regescrt', 'sdp01', 'inv2543'],
];

/** §3.1.2, invalid messages; §3.3.1, §3.3.8 and §3.3.9, which lack or double what a message must have once. */
const REFUSED = [
  ...['badinv01', 'clerr', 'ncl', 'scalar02', 'scalarlg', 'quotbal', 'ltgtruri', 'lwsruri', 'lwsstart', 'trws'],
  ...['escruri', 'baddate', 'regbadct', 'badaspec', 'baddn', 'badvers', 'mismatch01', 'mismatch02', 'bigcode'],
  ...['insuf', 'multi01', 'mcl01'],
];

/** Of the refused, those that name their sender well enough to be answered. */
const ANSWERED = [
  ...[
    'clerr',
    'ncl',
    'scalar02',
    'quotbal',
    'ltgtruri',
    'lwsruri',
    'lwsstart',
    'trws',
    'escruri',
    'baddate',
    'regbadct',
  ],
  ...['badaspec', 'badvers', 'mismatch01', 'mismatch02', 'mcl01'],
];

describe.skipIf(!existsSync(FOLDER))('the messages of RFC 4475', () => {
  const parse = (name: string) => parseMessage(readFileSync(new URL(`${name}.dat`, FOLDER)));

  test.each(ACCEPTED)('%s is accepted', (name) => {
    expect(parse(name)).toMatchObject({ ok: true });
  });

  test.each(REFUSED)('%s is refused', (name) => {
    expect(parse(name)).toMatchObject({ ok: false });
  });

  test.each(ANSWERED)('%s leaves enough to be answered', (name) => {
    const status = name === 'badvers' ? 505 : 400;
    expect(parse(name)).toMatchObject({ partial: { status } });
  });

  test('responses that are refused are not answered', () => {
    for (const name of ['scalarlg', 'bigcode']) expect(parse(name)).not.toHaveProperty('partial');
  });

  test('a second request behind the first in one datagram is cut off', () => {
    expect(parse('dblreq')).toMatchObject({ message: { method: 'REGISTER', body: new Uint8Array(0) } });
  });
});
