import { describe, expect, it } from 'vitest';
import { parseAddressRanges } from '../../../../base/network/address-range.ts';
import { createBridgeRouter } from '../../../../src/calls/bridge/bridge-route.ts';
import { NO_EXTENSIONS } from '../../../../src/configuration/extensions.ts';
import type { PhoneNumberRecord } from '../../../../src/storage/telephony/phone-number-repository.ts';
import type { SipTrunkRecord } from '../../../../src/storage/telephony/sip-trunk-repository.ts';
import { createDestinationPolicy } from '../../../../src/telephony/destinations/destination-policy.ts';
import { LocalCallRate } from '../../../../src/telephony/trunks/call-rate.ts';
import { TrunkCapacity } from '../../../../src/telephony/trunks/trunk-capacity.ts';
import { trunkRecord } from '../../telephony/trunks/trunk-record.ts';

const trunk = (id: string, terminationUri: string) =>
  trunkRecord({ id, terminationUri, transport: 'tcp', codecs: ['pcma'], srtp: 'optional' });
const CARRIER = trunk('carrier', 'sip.carrier.example:5080');
const OTHER = trunk('other', '192.0.2.9');
const OTHER_WITHOUT_PRIORITY = trunk('without a priority', '192.0.2.11');
const CALL = { callId: 'call', organizationId: 'org', ownNumber: '+4930111111' };

function router(
  trunks: readonly SipTrunkRecord[],
  number: Partial<PhoneNumberRecord> | null = null,
  capacity = new TrunkCapacity(new LocalCallRate(() => 0)),
  open = (sealed: string) => `open ${sealed}`,
  unreachable: readonly string[] = [],
) {
  const names: Record<string, string[]> = {
    'pbx.example': ['10.0.0.5'],
    'mapped.example': ['::ffff:10.0.0.5'],
    'mixed.example': ['10.0.0.5', '203.0.113.1'],
  };
  return createBridgeRouter({
    numbers: {
      findByNumber: async (requested) =>
        number === null
          ? null
          : {
              id: 'number',
              organizationId: 'org',
              number: requested,
              name: 'Ours',
              lookupWebhookUrl: null,
              sipHeaderVariables: [],
              type: 'sip',
              inboundAgentId: null,
              redirect: false,
              redirectPhoneNumber: null,
              redirectMode: 'sip_302',
              sipUri: null,
              trunkId: null,
              createdMs: 0,
              ...number,
            },
    },
    secrets: { open },
    capacity,
    isUnreachable: (id) => unreachable.includes(id),
    trunks: { all: async () => [...trunks] },
    allow: parseAddressRanges('10.0.0.0/8,fd00::/8'),
    destinations: createDestinationPolicy({ allowedPrefixes: [], extensions: NO_EXTENSIONS }),
    resolve: async (host) => {
      const addresses = names[host];
      if (addresses === undefined) throw new Error('no such host');
      return addresses;
    },
  });
}

describe('a number', () => {
  it('is dialled through the trunk of the call’s number', async () => {
    expect(await router([OTHER, CARRIER], { trunkId: 'carrier' })(CALL, '+4930222222')).toEqual([
      {
        trunk: { host: 'sip.carrier.example', port: 5_080, transport: 'tcp' },
        trunkId: 'carrier',
        to: '+4930222222',
        credentials: null,
        fromUser: null,
        fromDomain: null,
        redirect: expect.any(Function),
        terms: { codecs: ['pcma'], srtp: 'optional', inbandDtmf: false },
        take: expect.any(Function),
      },
    ]);
  });

  it('falls back to the trunks with a priority, the lowest first', async () => {
    const [third, second] = [
      { ...OTHER, priority: 2 },
      { ...trunk('next', '192.0.2.10'), priority: 1 },
    ];
    const route = await router([third, OTHER_WITHOUT_PRIORITY, CARRIER, second], { trunkId: 'carrier' })(
      CALL,
      '+4930222222',
    );
    if (typeof route === 'string') throw new Error(route);
    expect(route.map((hop) => hop.trunk.host)).toEqual(['sip.carrier.example', '192.0.2.10', '192.0.2.9']);
  });

  it('tries reachable trunks before unreachable ones', async () => {
    const stored = [{ ...OTHER, priority: 1 }, CARRIER];
    const route = await router(stored, { trunkId: 'carrier' }, undefined, undefined, ['carrier'])(CALL, '+4930222222');
    if (typeof route === 'string') throw new Error(route);
    expect(route.map((hop) => hop.trunk.host)).toEqual(['192.0.2.9', 'sip.carrier.example']);
  });

  it('opens the password of a trunk only when it tries that trunk', async () => {
    const sealed = { ...OTHER, priority: 1, username: 'us', passwordSealed: 'sealed' };
    const open = () => {
      throw new Error('sealed with another key');
    };
    const route = await router([sealed, CARRIER], { trunkId: 'carrier' }, undefined, open)(CALL, '+4930222222');
    if (typeof route === 'string') throw new Error(route);
    expect(route[0].credentials).toBeNull();
    expect(() => route[1]?.credentials).toThrow('sealed with another key');
  });

  it('counts towards the call limit of its trunk', async () => {
    const capacity = new TrunkCapacity(new LocalCallRate(() => 0));
    const narrow = { ...CARRIER, maxConcurrentCalls: 1 };
    const route = await router([narrow], null, capacity)(CALL, '+4930222222');
    if (typeof route === 'string') throw new Error(route);
    const [{ take }] = route;
    const release = await take();
    expect(capacity.fits(narrow)).toBe(false);
    expect(await take()).toBeNull();
    release?.();
    expect(capacity.fits(narrow)).toBe(true);
  });

  it('is dialled with the credentials of its trunk', async () => {
    const withCredentials = { ...CARRIER, username: 'us', passwordSealed: 'sealed' };
    expect(await router([withCredentials])(CALL, '+4930222222')).toMatchObject([
      { credentials: { username: 'us', password: 'open sealed' } },
    ]);
  });

  it('is dialled through the only trunk if the call’s number has none', async () => {
    expect(await router([OTHER])(CALL, '+4930222222')).toMatchObject([{ trunk: { host: '192.0.2.9', port: null } }]);
  });

  it.each([
    ['without a trunk', [], null],
    ['with several trunks if the call’s number has none', [OTHER, CARRIER], null],
    [
      'if the call’s number belongs to another organization',
      [OTHER, CARRIER],
      { trunkId: 'carrier', organizationId: 'foreign' },
    ],
  ] as const)('is not dialled %s', async (_, trunks, number) => {
    expect(await router(trunks, number)(CALL, '+4930222222')).toBe('there is no SIP trunk for it');
  });
});

describe('a SIP URI', () => {
  it.each(['sip:desk@sip.carrier.example', 'sip:desk@sip.carrier.example:5080'])(
    'of a trunk is dialled through that trunk: %s',
    async (uri) => {
      expect(await router([OTHER, CARRIER])(CALL, uri)).toMatchObject([
        { trunk: { host: 'sip.carrier.example', port: 5_080, transport: 'tcp' }, to: 'desk' },
      ]);
    },
  );

  it.each([
    ['sip:desk@10.1.2.3:5070', { host: '10.1.2.3', port: 5_070, transport: 'udp' }],
    ['sip:desk@10.1.2.3;transport=TCP', { host: '10.1.2.3', port: null, transport: 'tcp' }],
    ['sip:desk@[fd00::1]', { host: 'fd00::1', port: null, transport: 'udp' }],
    ['sip:desk@pbx.example', { host: '10.0.0.5', port: null, transport: 'udp' }],
  ])('of an allowed host is dialled directly: %s', async (uri, target) => {
    expect(await router([CARRIER])(CALL, uri)).toEqual([
      {
        trunk: target,
        trunkId: null,
        to: 'desk',
        credentials: null,
        fromUser: null,
        fromDomain: null,
        redirect: expect.any(Function),
        terms: { codecs: [], srtp: 'off', inbandDtmf: false },
        take: expect.any(Function),
      },
    ]);
  });

  it('whose host name resolves to an address of a trunk is subject to the destination policy for that trunk', async () => {
    const listing = { ...OTHER, terminationUri: 'sip.other.example', allowedAddresses: ['10.0.0.0/24'] };
    expect(await router([CARRIER, listing])(CALL, 'sip:1001@pbx.example')).toMatch(/^it is neither a phone number/);
  });

  it.each(['sip:118218@10.0.0.5', 'sip:911@10.0.0.5:5099', 'sip:911@[::ffff:10.0.0.5]', 'sip:911@mapped.example'])(
    'with an address that the host name of a trunk resolves to is subject to the destination policy for that trunk: %s',
    async (uri) => {
      expect(await router([trunk('named', 'pbx.example')])(CALL, uri)).toMatch(/^it is neither a phone number/);
    },
  );

  it.each([
    ['sip:desk@127.0.0.1', 'its host is not allowed here'],
    ['sip:desk@sip.carrier.example:5099', 'its host is not allowed here'],
    ['sip:desk@mixed.example', 'its host is not allowed here'],
    ['sip:desk@nowhere.example', 'its host is not allowed here'],
    ['sip:10.1.2.3', 'its address has no user part'],
    ['sips:desk@10.1.2.3', 'it requires encryption, which a bridge does not support'],
  ])('%s is not dialled', async (uri, reason) => {
    expect(await router([CARRIER])(CALL, uri)).toBe(reason);
  });
});
