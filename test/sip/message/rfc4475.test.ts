import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseMessage } from '../../../sip/message/parse-message.ts';

/** The SIP torture tests of RFC 4475, one message per file. Optional; next to the checkout. */
const FOLDER = new URL('../../../../shared/data/rfc4475/', import.meta.url);

/** Valid messages (§3.1.1), and well-formed messages with a wrong meaning (§3.2 to §3.4). */
const ACCEPTED = [
  ...['wsinv', 'intmeth', 'esc01', 'escnull', 'esc02', 'lwsdisp', 'longreq', 'dblreq', 'semiuri', 'transports'],
  ...['mpart01', 'unreason', 'noreason'],
  ...['badbranch', 'unkscm', 'novelsc', 'unksm2', 'bext01', 'invut', 'regaut01', 'bcast', 'zeromf', 'cparam01'],
  ...['cparam02', 'regescrt', 'sdp01', 'inv2543'],
];

/** Invalid messages (§3.1.2), and messages that lack or repeat a mandatory header (§3.3.1, §3.3.8, §3.3.9). */
const REFUSED = [
  ...['badinv01', 'clerr', 'ncl', 'scalar02', 'scalarlg', 'quotbal', 'ltgtruri', 'lwsruri', 'lwsstart', 'trws'],
  ...['escruri', 'baddate', 'regbadct', 'badaspec', 'baddn', 'badvers', 'mismatch01', 'mismatch02', 'bigcode'],
  ...['insuf', 'multi01', 'mcl01'],
];

/** The refused messages whose Via suffices for a response. */
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

  it.each(ACCEPTED)('%s is accepted', (name) => {
    expect(parse(name)).toMatchObject({ ok: true });
  });

  it.each(REFUSED)('%s is refused', (name) => {
    expect(parse(name)).toMatchObject({ ok: false });
  });

  it.each(ANSWERED)('%s is refused with a response', (name) => {
    const status = name === 'badvers' ? 505 : 400;
    expect(parse(name)).toMatchObject({ partial: { status } });
  });

  it('malformed responses get no response', () => {
    for (const name of ['scalarlg', 'bigcode']) expect(parse(name)).not.toHaveProperty('partial');
  });

  it('a second request in the same datagram is ignored', () => {
    expect(parse('dblreq')).toMatchObject({ message: { method: 'REGISTER', body: new Uint8Array(0) } });
  });
});
