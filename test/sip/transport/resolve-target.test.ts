import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import { type DnsResolver, type NaptrRecord, TargetResolver, targetOf } from '../../../sip/transport/resolve-target.ts';
import type { Hop } from '../../../sip/transport/transport-address.ts';

describe('where a URI leads', () => {
  it.each([
    ['sip:a@192.0.2.1', { transport: 'udp', host: '192.0.2.1', port: null }],
    ['sip:trunk.example:5080;transport=TCP', { transport: 'tcp', host: 'trunk.example', port: 5080 }],
    ['sip:a@b.example;maddr=192.0.2.9', { transport: 'udp', host: '192.0.2.9', port: null }],
    ['sip:a@[2001:db8::1]', { transport: 'udp', host: '2001:db8::1', port: null }],
    ['sips:a@b.example', { transport: 'tls', host: 'b.example', port: null }],
    ['sips:a@b.example:5071;transport=tcp', { transport: 'tls', host: 'b.example', port: 5071 }],
    ['sip:a@b.example;transport=tls', { transport: 'tls', host: 'b.example', port: null }],
    ['tel:+4930', null],
    ['sip:a@b;transport=ws', null],
    ['nonsense', null],
  ])('%s', (uri, target) => {
    expect(targetOf(uri)).toEqual(target);
  });
});

type Records = Readonly<
  Record<string, readonly (readonly [host: string, port: number, priority?: number, weight?: number])[]>
>;

const never = () => new Promise<never>(() => undefined);
const unknown = () => Promise.reject(new Error('ENOTFOUND'));

/** A name service with these names alone. */
function names(
  addresses: Readonly<Record<string, readonly string[]>>,
  services: Records = {},
  pointers: Readonly<Record<string, readonly NaptrRecord[]>> = {},
): DnsResolver {
  return {
    naptr: async (name) => pointers[name] ?? unknown(),
    addresses: async (host) => addresses[host] ?? unknown(),
    srv: async (name) =>
      services[name]?.map(([host, port, priority = 0, weight = 0]) => ({ host, port, priority, weight })) ?? unknown(),
  };
}

const resolverOf = (service: DnsResolver, clock = new SimulatedClock(), random = () => 0) =>
  new TargetResolver(clock, service, '127.0.0.1', random);

const places = (hops: readonly Hop[]) => hops.map(({ address, port }) => `${address}:${port}`);

describe('looking up', () => {
  const target = { transport: 'udp', host: 'trunk.example', port: 5060 } as const;

  it('gives the addresses of the family that the server has', async () => {
    const resolver = resolverOf(names({ 'trunk.example': ['2001:db8::1', '192.0.2.1', '192.0.2.2'] }));
    expect((await resolver.resolve(target)).map(({ address }) => address)).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  it.each([
    ['udp', 5060, {}],
    ['tcp', 5060, {}],
    ['tls', 5061, { name: '192.0.2.1' }],
  ] as const)('a literal needs no look-up, by %s at port %i', async (transport, port, named) => {
    const resolver = resolverOf({ addresses: never, srv: never, naptr: never });
    const literal = { transport, host: '192.0.2.1', port: null };
    expect(await resolver.resolve(literal)).toEqual([{ transport, address: '192.0.2.1', port, ...named }]);
    expect(await resolver.resolve({ ...literal, host: '2001:db8::1' })).toEqual([]);
  });

  it('a server bound to IPv6 sends to literals and names of IPv6', async () => {
    const found = names({ 'trunk.example': ['192.0.2.1', '2001:db8::7'] });
    const resolver = new TargetResolver(new SimulatedClock(), found, '::1', () => 0);
    expect(places(await resolver.resolve(target))).toEqual(['2001:db8::7:5060']);
    expect(places(await resolver.resolve({ ...target, host: '2001:db8::1' }))).toEqual(['2001:db8::1:5060']);
  });

  it('a name that is not resolved within five seconds is unknown', async () => {
    const clock = new SimulatedClock();
    const resolved = resolverOf({ addresses: never, srv: never, naptr: never }, clock).resolve(target);
    clock.advance(5_000);
    expect(await resolved).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('a look-up that fails is an unknown name', async () => {
    expect(await resolverOf(names({})).resolve(target)).toEqual([]);
  });

  it('more names at once than the bound are refused, not queued', async () => {
    const clock = new SimulatedClock();
    const resolver = resolverOf({ addresses: never, srv: never, naptr: never }, clock);
    const held = Array.from({ length: 16 }, (_, i) => resolver.resolve({ ...target, host: `trunk${i}.example` }));
    expect(await resolver.resolve(target)).toEqual([]);
    clock.advance(5_000);
    await Promise.all(held);
  });

  it('of one name is shared by concurrent requests, and repeated for later ones', async () => {
    const answers: ((addresses: readonly string[]) => void)[] = [];
    const addresses = () => new Promise<readonly string[]>((resolve) => answers.push(resolve));
    const resolver = resolverOf({ addresses, srv: never, naptr: never });
    const asking = Array.from({ length: 100 }, () => resolver.resolve(target));
    expect(answers).toHaveLength(1);
    answers[0]?.(['192.0.2.1']);
    expect((await Promise.all(asking)).map(places)).toEqual(asking.map(() => ['192.0.2.1:5060']));
    const later = resolver.resolve(target);
    answers[1]?.(['192.0.2.2']);
    expect(places(await later)).toEqual(['192.0.2.2:5060']);
  });

  it('that answers nothing in time is not waited for by who asks behind it', async () => {
    const clock = new SimulatedClock();
    let asked = 0;
    const addresses = () => (asked++ === 0 ? never() : Promise.resolve(['192.0.2.1']));
    const resolver = resolverOf({ addresses, srv: never, naptr: never }, clock);
    const silent = resolver.resolve(target);
    clock.advance(5_000);
    expect(await silent).toEqual([]);
    expect(places(await resolver.resolve(target))).toEqual(['192.0.2.1:5060']);
  });
});

describe('the servers of a service (SRV)', () => {
  const target = { transport: 'udp', host: 'trunk.example', port: null } as const;
  const hosts = { a: ['192.0.2.1', '192.0.2.11'], b: ['192.0.2.2'], c: ['192.0.2.3'], 'trunk.example': ['192.0.2.99'] };

  it('are tried by priority, each with its port and all its addresses', async () => {
    const services: Records = {
      '_sip._udp.trunk.example': [
        ['b', 5070, 20],
        ['a', 5080, 10],
      ],
    };
    expect(places(await resolverOf(names(hosts, services)).resolve(target))).toEqual([
      '192.0.2.1:5080',
      '192.0.2.11:5080',
      '192.0.2.2:5070',
    ]);
  });

  it.each([
    ['tcp', '_sip._tcp.trunk.example', {}],
    ['tls', '_sips._tcp.trunk.example', { name: 'trunk.example' }],
  ] as const)(
    'are those of the transport: %s; by TLS they prove the name asked for',
    async (transport, name, named) => {
      const resolver = resolverOf(names(hosts, { [name]: [['b', 7_000]] }));
      expect(await resolver.resolve({ ...target, transport })).toEqual([
        { transport, address: '192.0.2.2', port: 7_000, ...named },
      ]);
    },
  );

  it('share the requests of one priority by weight', async () => {
    const services: Records = {
      '_sip._udp.trunk.example': [
        ['a', 1, 0, 1],
        ['b', 2, 0, 3],
        ['c', 3, 0, 0],
      ],
    };
    const first = async (random: number) =>
      places(await resolverOf(names(hosts, services), undefined, () => random).resolve(target))[0];
    expect(await Promise.all([0, 0.2, 0.4, 0.6, 0.99].map(first))).toEqual([
      '192.0.2.3:3',
      '192.0.2.1:1',
      '192.0.2.2:2',
      '192.0.2.2:2',
      '192.0.2.2:2',
    ]);
  });

  it('are passed over where their own name is unknown', async () => {
    const services: Records = {
      '_sip._udp.trunk.example': [
        ['gone', 1, 0],
        ['b', 2, 1],
      ],
    };
    expect(places(await resolverOf(names(hosts, services)).resolve(target))).toEqual(['192.0.2.2:2']);
  });

  it('are not asked for where the URI names a port', async () => {
    const services: Records = { '_sip._udp.trunk.example': [['b', 1]] };
    const resolver = resolverOf(names(hosts, services));
    expect(places(await resolver.resolve({ ...target, port: 5_090 }))).toEqual(['192.0.2.99:5090']);
  });

  it.each([
    ['there are none', {}],
    ['the only one is «not here»', { '_sip._udp.trunk.example': [['.', 0]] }],
    ['they are those of another transport', { '_sip._tcp.trunk.example': [['b', 1]] }],
  ] as const)('where %s, the name itself is the server', async (_case, services) => {
    expect(places(await resolverOf(names(hosts, services)).resolve(target))).toEqual(['192.0.2.99:5060']);
  });

  it('are bounded in number', async () => {
    const many = Array.from({ length: 500 }, (_, index) => ['b', index + 1, index] as const);
    const resolver = resolverOf(names(hosts, { '_sip._udp.trunk.example': many }));
    expect(await resolver.resolve(target)).toHaveLength(4);
  });
});

describe('NAPTR', () => {
  const target = { transport: 'tcp', host: 'trunk.example', port: null } as const;
  const addresses = { 'one.example': ['192.0.2.1'], 'two.example': ['192.0.2.2'], 'trunk.example': ['192.0.2.9'] };
  const services: Records = {
    '_sip._tcp.trunk.example': [['one.example', 5070]],
    'tcp.west.example': [['two.example', 5080]],
  };
  const pointer = (service: string, replacement: string, preference = 0, flags = 's'): NaptrRecord => ({
    order: 0,
    preference,
    flags,
    service,
    replacement,
  });
  const found = async (...pointers: NaptrRecord[]) =>
    places(await resolverOf(names(addresses, services, { 'trunk.example': pointers })).resolve(target));

  it('names the SRV record of the transport that the URI names', async () => {
    expect(await found(pointer('SIP+D2U', 'udp.west.example'), pointer('SIP+D2T', 'tcp.west.example.'))).toEqual([
      '192.0.2.2:5080',
    ]);
  });

  it('is followed by preference', async () => {
    const wrong = pointer('SIP+D2T', '_sip._tcp.trunk.example', 2);
    expect(await found(wrong, pointer('sip+d2t', 'tcp.west.example', 1))).toEqual(['192.0.2.2:5080']);
  });

  it.each([
    ['another transport', pointer('SIPS+D2T', 'tcp.west.example')],
    ['another kind of record', pointer('SIP+D2T', 'tcp.west.example', 0, 'u')],
    ['a name without servers', pointer('SIP+D2T', 'nowhere.example')],
    ['no name', pointer('SIP+D2T', '.')],
  ])('of %s changes nothing', async (_what, one) => {
    expect(await found(one)).toEqual(['192.0.2.1:5070']);
  });
});
