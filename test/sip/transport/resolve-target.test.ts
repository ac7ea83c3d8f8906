import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import { type DnsResolver, type NaptrRecord, TargetResolver, targetOf } from '../../../sip/transport/resolve-target.ts';
import { TargetPolicy } from '../../../sip/transport/target-policy.ts';
import type { Hop } from '../../../sip/transport/transport-address.ts';

describe('the target of', () => {
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

/** A DNS resolver that knows only these names. */
function dnsWith(
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

const ALL_ALLOWED = { refusal: () => null };
const resolverOf = (service: DnsResolver, clock = new SimulatedClock(), random = () => 0) =>
  new TargetResolver(clock, service, '127.0.0.1', random, ALL_ALLOWED);

const endpoints = (hops: readonly Hop[]) => hops.map(({ address, port }) => `${address}:${port}`);

describe('a look-up', () => {
  const target = { transport: 'udp', host: 'trunk.example', port: 5060 } as const;

  it('yields only addresses of the bound IP family', async () => {
    const resolver = resolverOf(dnsWith({ 'trunk.example': ['2001:db8::1', '192.0.2.1', '192.0.2.2'] }));
    expect((await resolver.resolve(target)).map(({ address }) => address)).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  it.each([
    ['udp', 5060, {}],
    ['tcp', 5060, {}],
    ['tls', 5061, { name: '192.0.2.1' }],
  ] as const)('is not needed for a literal address: %s, port %i', async (transport, port, named) => {
    const resolver = resolverOf({ addresses: never, srv: never, naptr: never });
    const literal = { transport, host: '192.0.2.1', port: null };
    expect(await resolver.resolve(literal)).toEqual([{ transport, address: '192.0.2.1', port, ...named }]);
    expect(await resolver.resolve({ ...literal, host: '2001:db8::1' })).toEqual([]);
  });

  it('yields only IPv6 addresses for a server bound to IPv6', async () => {
    const resolved = dnsWith({ 'trunk.example': ['192.0.2.1', '2001:db8::7'] });
    const resolver = new TargetResolver(new SimulatedClock(), resolved, '::1', () => 0, ALL_ALLOWED);
    expect(endpoints(await resolver.resolve(target))).toEqual(['2001:db8::7:5060']);
    expect(endpoints(await resolver.resolve({ ...target, host: '2001:db8::1' }))).toEqual(['2001:db8::1:5060']);
  });

  it('alternates the addresses of both families for a server bound to ::', async () => {
    const names = { 'trunk.example': ['2001:db8::1', '2001:db8::2', '2001:db8::3', '192.0.2.1'] };
    const resolver = new TargetResolver(new SimulatedClock(), dnsWith(names), '::', () => 0, ALL_ALLOWED);
    const addressesOf = async (host: string) =>
      (await resolver.resolve({ ...target, host })).map(({ address }) => address);
    expect(await addressesOf('trunk.example')).toEqual(['2001:db8::1', '192.0.2.1', '2001:db8::2']);
    expect(await addressesOf('2001:db8::9')).toEqual(['2001:db8::9']);
    expect(await addressesOf('192.0.2.9')).toEqual(['192.0.2.9']);
    expect(await addressesOf('::ffff:c000:209')).toEqual(['192.0.2.9']);
  });

  it('yields no address that the policy refuses, whatever the name resolves to', async () => {
    const service = dnsWith({ 'trunk.example': ['192.0.2.1', '10.0.0.5'] });
    const policy = new TargetPolicy([]);
    policy.setOwnListeners([{ address: '192.0.2.7', port: 5060 }]);
    const resolver = new TargetResolver(new SimulatedClock(), service, '127.0.0.1', () => 0, {
      refusal: (address, port) => (address === '192.0.2.1' ? null : policy.refusal(address, port)),
    });
    expect(endpoints(await resolver.resolve(target))).toEqual(['192.0.2.1:5060']);
    expect(await resolver.resolve({ ...target, host: '10.0.0.5' })).toEqual([]);
    expect(await resolver.resolve({ ...target, host: '192.0.2.7' })).toEqual([]);
  });

  it('fails after five seconds', async () => {
    const clock = new SimulatedClock();
    const resolved = resolverOf({ addresses: never, srv: never, naptr: never }, clock).resolve(target);
    clock.advance(5_000);
    expect(await resolved).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('yields no address for an unknown name', async () => {
    expect(await resolverOf(dnsWith({})).resolve(target)).toEqual([]);
  });

  it('beyond the bound of concurrent look-ups is refused, not queued', async () => {
    const clock = new SimulatedClock();
    const resolver = resolverOf({ addresses: never, srv: never, naptr: never }, clock);
    const pending = Array.from({ length: 16 }, (_, i) => resolver.resolve({ ...target, host: `trunk${i}.example` }));
    expect(await resolver.resolve(target)).toEqual([]);
    clock.advance(5_000);
    await Promise.all(pending);
  });

  it('is shared by concurrent requests for a name, and not cached', async () => {
    const answers: ((addresses: readonly string[]) => void)[] = [];
    const addresses = () => new Promise<readonly string[]>((resolve) => answers.push(resolve));
    const resolver = resolverOf({ addresses, srv: never, naptr: never });
    const requests = Array.from({ length: 100 }, () => resolver.resolve(target));
    expect(answers).toHaveLength(1);
    answers[0]?.(['192.0.2.1']);
    expect((await Promise.all(requests)).map(endpoints)).toEqual(requests.map(() => ['192.0.2.1:5060']));
    const later = resolver.resolve(target);
    answers[1]?.(['192.0.2.2']);
    expect(endpoints(await later)).toEqual(['192.0.2.2:5060']);
  });

  it('is not shared by later requests after its timeout', async () => {
    const clock = new SimulatedClock();
    let lookUps = 0;
    const addresses = () => (lookUps++ === 0 ? never() : Promise.resolve(['192.0.2.1']));
    const resolver = resolverOf({ addresses, srv: never, naptr: never }, clock);
    const timedOut = resolver.resolve(target);
    clock.advance(5_000);
    expect(await timedOut).toEqual([]);
    expect(endpoints(await resolver.resolve(target))).toEqual(['192.0.2.1:5060']);
  });
});

describe('SRV records', () => {
  const target = { transport: 'udp', host: 'trunk.example', port: null } as const;
  const hosts = { a: ['192.0.2.1', '192.0.2.11'], b: ['192.0.2.2'], c: ['192.0.2.3'], 'trunk.example': ['192.0.2.99'] };

  it('are tried by priority, each with its port and all addresses of its host', async () => {
    const services: Records = {
      '_sip._udp.trunk.example': [
        ['b', 5070, 20],
        ['a', 5080, 10],
      ],
    };
    expect(endpoints(await resolverOf(dnsWith(hosts, services)).resolve(target))).toEqual([
      '192.0.2.1:5080',
      '192.0.2.11:5080',
      '192.0.2.2:5070',
    ]);
  });

  it.each([
    ['tcp', '_sip._tcp.trunk.example', {}],
    ['tls', '_sips._tcp.trunk.example', { name: 'trunk.example' }],
  ] as const)(
    'are those of the transport %s; a TLS server must prove the original name',
    async (transport, name, named) => {
      const resolver = resolverOf(dnsWith(hosts, { [name]: [['b', 7_000]] }));
      expect(await resolver.resolve({ ...target, transport })).toEqual([
        { transport, address: '192.0.2.2', port: 7_000, ...named },
      ]);
    },
  );

  it('share requests by weight within one priority', async () => {
    const services: Records = {
      '_sip._udp.trunk.example': [
        ['a', 1, 0, 1],
        ['b', 2, 0, 3],
        ['c', 3, 0, 0],
      ],
    };
    const first = async (random: number) =>
      endpoints(await resolverOf(dnsWith(hosts, services), undefined, () => random).resolve(target))[0];
    expect(await Promise.all([0, 0.2, 0.4, 0.6, 0.99].map(first))).toEqual([
      '192.0.2.3:3',
      '192.0.2.1:1',
      '192.0.2.2:2',
      '192.0.2.2:2',
      '192.0.2.2:2',
    ]);
  });

  it('are skipped if their host is unknown', async () => {
    const services: Records = {
      '_sip._udp.trunk.example': [
        ['gone', 1, 0],
        ['b', 2, 1],
      ],
    };
    expect(endpoints(await resolverOf(dnsWith(hosts, services)).resolve(target))).toEqual(['192.0.2.2:2']);
  });

  it('are not looked up if the URI has a port', async () => {
    const services: Records = { '_sip._udp.trunk.example': [['b', 1]] };
    const resolver = resolverOf(dnsWith(hosts, services));
    expect(endpoints(await resolver.resolve({ ...target, port: 5_090 }))).toEqual(['192.0.2.99:5090']);
  });

  it.each([
    ['no record exists', {}],
    ['the only target is `.`', { '_sip._udp.trunk.example': [['.', 0]] }],
    ['they belong to another transport', { '_sip._tcp.trunk.example': [['b', 1]] }],
  ] as const)('are replaced by the host itself if %s', async (_case, services) => {
    expect(endpoints(await resolverOf(dnsWith(hosts, services)).resolve(target))).toEqual(['192.0.2.99:5060']);
  });

  it('are bounded in number', async () => {
    const many = Array.from({ length: 500 }, (_, index) => ['b', index + 1, index] as const);
    const resolver = resolverOf(dnsWith(hosts, { '_sip._udp.trunk.example': many }));
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
  const resolved = async (...pointers: NaptrRecord[]) =>
    endpoints(await resolverOf(dnsWith(addresses, services, { 'trunk.example': pointers })).resolve(target));

  it('selects the SRV name for the transport of the URI', async () => {
    expect(await resolved(pointer('SIP+D2U', 'udp.west.example'), pointer('SIP+D2T', 'tcp.west.example.'))).toEqual([
      '192.0.2.2:5080',
    ]);
  });

  it('is chosen by preference', async () => {
    const wrong = pointer('SIP+D2T', '_sip._tcp.trunk.example', 2);
    expect(await resolved(wrong, pointer('sip+d2t', 'tcp.west.example', 1))).toEqual(['192.0.2.2:5080']);
  });

  it.each([
    ['another transport', pointer('SIPS+D2T', 'tcp.west.example')],
    ['another kind of record', pointer('SIP+D2T', 'tcp.west.example', 0, 'u')],
    ['a name without servers', pointer('SIP+D2T', 'nowhere.example')],
    ['no name', pointer('SIP+D2T', '.')],
  ])('with %s is ignored', async (_case, ignored) => {
    expect(await resolved(ignored)).toEqual(['192.0.2.1:5070']);
  });
});
