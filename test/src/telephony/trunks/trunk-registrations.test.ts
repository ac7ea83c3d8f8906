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
