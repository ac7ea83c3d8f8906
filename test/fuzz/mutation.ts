import fc from 'fast-check';

/** Replacements in changed inputs: terminators, numbers at their bounds, other encodings. */
const TOKENS = [
  ...[
    '\r\n',
    '\r\n\r\n',
    '\n',
    '\r',
    '\0',
    ' ',
    '\t',
    ',',
    ';',
    ':',
    '"',
    '\\',
    '<',
    '>',
    '@',
    '?',
    '=',
    '%',
    '%00',
    '|',
    '/',
  ],
  ...['0', '-1', '1e9', '2147483648', '4294967296', '99999999999999999999', 'NaN', '__proto__', 'constructor'],
  ...[
    'Via: ',
    'Content-Length: 5\r\n',
    'To: <sip:a>\r\n',
    'a=crypto:',
    'm=audio 1 RTP/AVP 0\r\n',
    '[::1]',
    'z9hG4bK',
    'SIP/2.0',
  ],
  ...['\u00fc', '\ud83d\ude00', '\ufeff', '\x80', '\xff\xfe'],
].map((text) => Buffer.from(text, 'utf8'));

type Change =
  | { readonly type: 'byte'; readonly at: number; readonly byte: number }
  | { readonly type: 'cut'; readonly at: number; readonly length: number }
  | { readonly type: 'token'; readonly at: number; readonly token: number }
  | { readonly type: 'repeat'; readonly at: number; readonly length: number; readonly times: number };

/** Places are shares of the input's length, so that shrinking and short inputs stay meaningful. */
const place = fc.nat({ max: 65_535 });

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ type: fc.constant('byte' as const), at: place, byte: fc.nat({ max: 255 }) }),
  fc.record({ type: fc.constant('cut' as const), at: place, length: fc.nat({ max: 40 }) }),
  fc.record({ type: fc.constant('token' as const), at: place, token: fc.nat({ max: TOKENS.length - 1 }) }),
  fc.record({
    type: fc.constant('repeat' as const),
    at: place,
    length: fc.nat({ max: 60 }),
    times: fc.nat({ max: 20 }),
  }),
);

/** A seed with some changes; less often the start of one seed with the end of another, or random bytes. */
export function mutated(seeds: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const changed = fc
    .tuple(fc.constantFrom(...seeds), fc.array(change, { minLength: 1, maxLength: 6 }))
    .map(([seed, changes]) => changes.reduce(apply, Buffer.from(seed)));
  const spliced = fc
    .tuple(fc.constantFrom(...seeds), fc.constantFrom(...seeds), place, place)
    .map(([first, second, head, tail]) =>
      Buffer.concat([first.subarray(0, at(first, head)), second.subarray(at(second, tail))]),
    );
  const noise = fc.uint8Array({ maxLength: 200 });
  return fc
    .oneof({ weight: 8, arbitrary: changed }, { weight: 2, arbitrary: spliced }, { weight: 1, arbitrary: noise })
    .map((bytes) => new Uint8Array(bytes));
}

function at(bytes: Uint8Array, share: number): number {
  return Math.floor((share / 65_536) * (bytes.length + 1));
}

function apply(bytes: Buffer, change: Change): Buffer {
  const from = at(bytes, change.at);
  switch (change.type) {
    case 'byte': {
      const copy = Buffer.from(bytes);
      if (from < copy.length) copy[from] = change.byte;
      return copy;
    }
    case 'cut':
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + change.length)]);
    case 'token':
      return Buffer.concat([bytes.subarray(0, from), TOKENS[change.token] ?? Buffer.alloc(0), bytes.subarray(from)]);
    case 'repeat': {
      const piece = bytes.subarray(from, from + change.length);
      return Buffer.concat([
        bytes.subarray(0, from),
        ...new Array<Buffer>(change.times).fill(piece),
        bytes.subarray(from),
      ]);
    }
  }
}
