import { describe, expect, it } from 'vitest';
import { TargetResolver, targetOf } from '../../../../sip/embedded-server/transport/resolve-target.ts';
import { SimulatedClock } from '../simulated-clock.ts';

describe('where a URI leads', () => {
  it.each([
    ['sip:a@192.0.2.1', { transport: 'udp', host: '192.0.2.1', port: 5060 }],
    ['sip:trunk.example:5080;transport=TCP', { transport: 'tcp', host: 'trunk.example', port: 5080 }],
    ['sip:a@b.example;maddr=192.0.2.9', { transport: 'udp', host: '192.0.2.9', port: 5060 }],
    ['sip:a@[2001:db8::1]', { transport: 'udp', host: '2001:db8::1', port: 5060 }],
    ['sips:a@b.example', { transport: 'tls', host: 'b.example', port: 5061 }],
    ['sips:a@b.example:5071;transport=tcp', { transport: 'tls', host: 'b.example', port: 5071 }],
    ['sip:a@b.example;transport=tls', { transport: 'tls', host: 'b.example', port: 5061 }],
    ['tel:+4930', null],
    ['sip:a@b;transport=ws', null],
    ['nonsense', null],
  ])('%s', (uri, target) => {
    expect(targetOf(uri)).toEqual(target);
  });
});

describe('looking up', () => {
  const target = { transport: 'udp', host: 'trunk.example', port: 5060 } as const;
  const never = () => new Promise<readonly string[]>(() => undefined);

  it('gives the addresses of the family that the server has', async () => {
    const found = ['2001:db8::1', '192.0.2.1', '192.0.2.2'];
    const resolver = new TargetResolver(new SimulatedClock(), () => Promise.resolve(found), '127.0.0.1');
    expect((await resolver.resolve(target)).map(({ address }) => address)).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  it('a literal needs no look-up', async () => {
    const resolver = new TargetResolver(new SimulatedClock(), never, '127.0.0.1');
    expect(await resolver.resolve({ ...target, host: '192.0.2.1' })).toEqual([
      { transport: 'udp', address: '192.0.2.1', port: 5060 },
    ]);
    expect(await resolver.resolve({ ...target, host: '2001:db8::1' })).toEqual([]);
  });

  it('a name that is not resolved within five seconds is unknown', async () => {
    const clock = new SimulatedClock();
    const resolved = new TargetResolver(clock, never, '127.0.0.1').resolve(target);
    clock.advance(5_000);
    expect(await resolved).toEqual([]);
    expect(clock.running).toBe(0);
  });

  it('a look-up that fails is an unknown name', async () => {
    const resolver = new TargetResolver(
      new SimulatedClock(),
      () => Promise.reject(new Error('ENOTFOUND')),
      '127.0.0.1',
    );
    expect(await resolver.resolve(target)).toEqual([]);
  });

  it('more look-ups at once than the bound are refused, not queued', async () => {
    const clock = new SimulatedClock();
    const resolver = new TargetResolver(clock, never, '127.0.0.1');
    const held = Array.from({ length: 16 }, () => resolver.resolve(target));
    expect(await resolver.resolve(target)).toEqual([]);
    clock.advance(5_000);
    await Promise.all(held);
  });
});
