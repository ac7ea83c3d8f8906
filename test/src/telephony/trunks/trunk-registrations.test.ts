import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import type { RegisterRequest } from '../../../../sip/signalling/signalling.ts';
import type {
  TrunkContact,
  TrunkContactRepository,
} from '../../../../src/storage/telephony/trunk-contact-repository.ts';
import {
  TrunkRegistrations,
  type TrunkRegistrationsOptions,
} from '../../../../src/telephony/trunks/trunk-registrations.ts';
import { RegistrarBindings } from '../../../sip-endpoint/registrar-bindings.ts';
import { trunkRecord } from './trunk-record.ts';

const EXPIRES_SECONDS = 3_600;
const ALICE = 'sip:alice@registrar';

/** Resolves after all work that does not wait for a timer. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The contacts of one trunk, as the database keeps them. */
class StoredContacts implements TrunkContactRepository {
  readonly rows = new Map<string, TrunkContact>();

  of = async () => [...this.rows.values()];
  put = async (_trunkId: string, contact: TrunkContact) => void this.rows.set(contact.contact, contact);
  remove = async (_trunkId: string, contact: string) => void this.rows.delete(contact);
}

function registrationsWith(
  options: Pick<TrunkRegistrationsOptions, 'signalling'> & Partial<TrunkRegistrationsOptions>,
): TrunkRegistrations {
  return new TrunkRegistrations({
    secrets: { open: () => 'secret' },
    contacts: new StoredContacts(),
    clock: new SimulatedClock(),
    leads: () => true,
    random: () => 0,
    onChange: () => {},
    onContactRemoved: () => {},
    onFault: (_trunkId, error) => expect.fail(String(error)),
    ...options,
  });
}

const account = { id: 'one', register: true, username: 'alice', passwordSealed: 'sealed' };
const trunkAt = (host: string) => trunkRecord({ ...account, terminationUri: host });

it('registers only the trunk again whose connection is lost', async () => {
  const clock = new SimulatedClock();
  const hosts: string[] = [];
  let lose: (connection: string | null) => void = () => {};
  const registrations = registrationsWith({
    signalling: {
      register: async ({ trunk, cseq }: RegisterRequest) => {
        hosts.push(trunk.host);
        const connection = `tcp ${trunk.host} 5060`;
        return { type: 'registered', contact: null, expiresSeconds: EXPIRES_SECONDS, cseq, connection };
      },
      onConnectionLost: (listener) => {
        lose = listener;
      },
    },
    clock,
  });
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
  const registrations = registrationsWith({
    signalling: {
      register: async ({ trunk, cseq, expiresSeconds }: RegisterRequest) => {
        sent.push(`${trunk.host} ${expiresSeconds}`);
        return { type: 'registered', contact: null, expiresSeconds, cseq, connection: null };
      },
      onConnectionLost: () => {},
    },
    leads: () => leads,
  });
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

describe('the contact of a node that died', () => {
  /** Nodes with one database and one registrar, each with its own contact. */
  function cluster(contactsMax?: number) {
    const clock = new SimulatedClock();
    const bindings = new RegistrarBindings(() => clock.wallMs(), contactsMax);
    const contacts = new StoredContacts();
    const removed: string[] = [];
    /** The registrar does not answer. */
    const registrar = { isSilent: false };
    const node = (own: string, leads = () => true) =>
      registrationsWith({
        signalling: {
          register: async ({ contact = own, cseq, expiresSeconds, sipCallId }: RegisterRequest) => {
            const refused = { type: 'refused', reason: 'refused', retryAfterSeconds: null, cseq } as const;
            if (registrar.isSilent) return { ...refused, status: null };
            const status = bindings.process({ addressOfRecord: ALICE, contact, sipCallId, cseq, expiresSeconds });
            if (status !== 200) return { ...refused, status };
            return { type: 'registered', contact, expiresSeconds, cseq, connection: null };
          },
          onConnectionLost: () => {},
        },
        contacts,
        clock,
        leads,
        onContactRemoved: (_trunkId, contact) => removed.push(contact),
      });
    const registered = () => [...bindings.contacts(ALICE).keys()];
    return { clock, contacts, node, registered, registrar, removed };
  }
  const begin = async (registrations: TrunkRegistrations, trunk = trunkAt('carrier.example')) => {
    registrations.add(trunk);
    await settle();
    return registrations;
  };

  it('gets no more calls once another node registers the trunk', async () => {
    const { contacts, node, registered, removed } = cluster();
    await begin(node('sip:alice@10.0.0.1:5060'));
    const next = await begin(node('sip:alice@10.0.0.2:5060'));
    expect(registered()).toEqual(['sip:alice@10.0.0.2:5060']);
    expect(removed).toEqual(['sip:alice@10.0.0.1:5060']);
    expect([...contacts.rows.keys()]).toEqual(['sip:alice@10.0.0.2:5060']);
    await next.stop();
    expect([registered(), contacts.rows.size]).toEqual([[], 0]);
  });

  it('makes room at a registrar that accepts a single contact', async () => {
    const { node, registered } = cluster(1);
    await begin(node('sip:alice@10.0.0.1:5060'));
    const next = await begin(node('sip:alice@10.0.0.2:5060'));
    expect(registered()).toEqual(['sip:alice@10.0.0.2:5060']);
    expect(next.state('one')?.status).toBe('registered');
  });

  it('is registered again by a process that starts at the same address', async () => {
    const { node, registered } = cluster();
    await begin(node('sip:alice@10.0.0.1:5060'));
    const next = await begin(node('sip:alice@10.0.0.1:5060'));
    expect(registered()).toEqual(['sip:alice@10.0.0.1:5060']);
    await next.stop();
    expect(registered()).toEqual([]);
  });

  it('is removed before the next registration if the registrar did not answer', async () => {
    const { clock, node, registered, registrar } = cluster();
    await begin(node('sip:alice@10.0.0.1:5060', () => clock.wallMs() < 1));
    clock.advance(1_000);
    registrar.isSilent = true;
    const next = await begin(node('sip:alice@10.0.0.2:5060'));
    expect(next.state('one')?.status).toBe('failed');
    registrar.isSilent = false;
    clock.advance(60_000);
    await settle();
    expect(registered()).toEqual(['sip:alice@10.0.0.2:5060']);
  });

  it('is left alone when it has expired, or belongs to another account', async () => {
    const { clock, contacts, node, removed } = cluster();
    await begin(node('sip:alice@10.0.0.1:5060', () => clock.wallMs() < 1));
    clock.advance(EXPIRES_SECONDS * 1_000);
    await begin(node('sip:alice@10.0.0.2:5060', () => clock.wallMs() < EXPIRES_SECONDS * 1_000 + 1));
    clock.advance(1_000);
    await begin(node('sip:alice@10.0.0.3:5060'), trunkAt('another-carrier.example'));
    expect(removed).toEqual([]);
    expect([...contacts.rows.keys()]).toEqual(['sip:alice@10.0.0.3:5060']);
  });

  it('does not come back when its process goes on after it stood still', async () => {
    const { clock, node, registered } = cluster();
    let stalledLeads = true;
    const stalled = await begin(node('sip:alice@10.0.0.1:5060', () => stalledLeads));
    await begin(node('sip:alice@10.0.0.2:5060'));
    stalledLeads = false;
    clock.advance(EXPIRES_SECONDS * 1_000);
    await settle();
    expect(registered()).toEqual(['sip:alice@10.0.0.2:5060']);
    stalled.sync([]);
    await settle();
    expect(registered()).toEqual(['sip:alice@10.0.0.2:5060']);
  });

  it('keeps no trunk from being registered while the database does not answer', async () => {
    const { clock, registered } = cluster();
    const faults: unknown[] = [];
    let leads = true;
    const away = async () => {
      throw new Error('away');
    };
    const registrations = registrationsWith({
      signalling: {
        register: async ({ cseq, expiresSeconds }: RegisterRequest) => {
          return { type: 'registered', contact: 'sip:alice@10.0.0.1', expiresSeconds, cseq, connection: null };
        },
        onConnectionLost: () => {},
      },
      contacts: { of: away, put: away, remove: away },
      clock,
      leads: () => leads,
      onFault: (_trunkId, error) => faults.push(error),
    });
    await begin(registrations);
    expect(registrations.state('one')?.status).toBe('registered');
    expect([faults.length, registered()]).toEqual([2, []]);
    // No node leads without the database: the lease has expired.
    leads = false;
    clock.advance(EXPIRES_SECONDS * 1_000);
    await settle();
    expect(registrations.state('one')).toMatchObject({ status: 'registered', error: null });
  });
});
