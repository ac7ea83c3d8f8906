import { expect, it } from 'vitest';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import type { RegisterRequest } from '../../../../sip/signalling/signalling.ts';
import { TrunkRegistrations } from '../../../../src/telephony/trunks/trunk-registrations.ts';
import { trunkRecord } from './trunk-record.ts';

/** Resolves after all work that does not wait for a timer. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

it('registers only the trunk again whose connection is lost', async () => {
  const clock = new SimulatedClock();
  const hosts: string[] = [];
  let lose: (connection: string | null) => void = () => {};
  const registrations = new TrunkRegistrations({
    signalling: {
      register: async ({ trunk, cseq }: RegisterRequest) => {
        hosts.push(trunk.host);
        return { type: 'registered', expiresSeconds: 3_600, cseq, connection: `tcp ${trunk.host} 5060` };
      },
      onConnectionLost: (listener) => {
        lose = listener;
      },
    },
    secrets: { open: () => 'secret' },
    clock,
    leads: () => true,
    random: () => 0,
    onChange: () => {},
    onFault: (_trunkId, error) => expect.fail(String(error)),
  });
  const account = { register: true, username: 'alice', passwordSealed: 'sealed' };
  registrations.add(trunkRecord({ ...account, id: 'one', terminationUri: 'one.example' }));
  registrations.add(trunkRecord({ ...account, id: 'two', terminationUri: 'two.example' }));
  await settle();
  lose('tcp two.example 5060');
  clock.advance(15_000);
  await settle();
  expect(hosts).toEqual(['one.example', 'two.example', 'two.example']);
  await registrations.stop();
});

it('registers only on the node that leads, and follows the changes of other nodes', async () => {
  const sent: string[] = [];
  let leads = false;
  const registrations = new TrunkRegistrations({
    signalling: {
      register: async ({ trunk, cseq, expiresSeconds }: RegisterRequest) => {
        sent.push(`${trunk.host} ${expiresSeconds}`);
        return { type: 'registered', expiresSeconds, cseq, connection: null };
      },
      onConnectionLost: () => {},
    },
    secrets: { open: () => 'secret' },
    clock: new SimulatedClock(),
    leads: () => leads,
    random: () => 0,
    onChange: () => {},
    onFault: (_trunkId, error) => expect.fail(String(error)),
  });
  const trunkAt = (host: string) =>
    trunkRecord({ id: 'one', register: true, username: 'alice', passwordSealed: 'sealed', terminationUri: host });
  const sync = async (...trunks: Parameters<typeof registrations.sync>[0]) => {
    sent.length = 0;
    registrations.sync(trunks);
    await settle();
    return [...sent];
  };
  registrations.add(trunkAt('old.example'));
  expect(await sync(trunkAt('old.example')), 'another node leads').toEqual([]);
  leads = true;
  expect(await sync(trunkAt('old.example'))).toEqual(['old.example 3600']);
  expect(await sync(trunkAt('old.example')), 'nothing has changed').toEqual([]);
  expect(await sync(trunkAt('new.example'))).toEqual(['old.example 0', 'new.example 3600']);
  leads = false;
  expect(await sync(trunkAt('new.example')), 'another node leads again').toEqual(['new.example 0']);
  expect(registrations.state('one')).toBeNull();
});
