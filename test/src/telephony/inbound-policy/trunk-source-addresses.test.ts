import { expect, it } from 'vitest';
import { parseAddressRanges } from '../../../../base/network/address-range.ts';
import {
  AllowedSourceList,
  allowedSourcesOf,
} from '../../../../src/telephony/inbound-policy/trunk-source-addresses.ts';
import { trunkRecord } from '../trunks/trunk-record.ts';

const closed = (...allowedAddresses: string[]) => ({ allowedAddresses });

it('allows all sources before any organization can accept a call', () => {
  expect(allowedSourcesOf([], [], [])).toEqual({ listed: [], open: true });
});

it.each([
  ['without a trunk', [[closed('192.0.2.1')], []]],
  ['with a trunk that lists no address', [[closed('192.0.2.1'), closed()]]],
])('an organization %s accepts calls from any address', (_case, organizations) => {
  expect(allowedSourcesOf(organizations, [], []).open).toBe(true);
});

it('allows only listed addresses and those of the operator if every trunk lists addresses', () => {
  const organizations = [[closed('192.0.2.0/24', '2001:db8::1')], [closed('192.0.2.0/24')]];
  expect(allowedSourcesOf(organizations, parseAddressRanges('10.0.0.0/8'), [])).toEqual({
    listed: ['10.0.0.0/8', '192.0.2.0/24', '2001:db8::1'],
    open: false,
  });
});

it.each([
  ['is not listed, and makes its sources unknown ones', [], { listed: ['192.0.2.1'], open: true }],
  ['is listed where the operator allows it', ['192.0.0.0/6'], { listed: ['192.0.0.0/8', '192.0.2.1'], open: false }],
])('a broad range of a trunk %s', (_case, broad, sources) => {
  const organizations = [[closed('192.0.0.0/8')], [closed('192.0.2.1')]];
  expect(allowedSourcesOf(organizations, [], parseAddressRanges(broad.join(',')))).toEqual(sources);
});

it('counts no broad range as a listed source of the organization', async () => {
  const trunk = trunkRecord({ allowedAddresses: ['0.0.0.0/0', '192.0.2.1'] });
  const sources = new AllowedSourceList({
    trunks: { byOrganization: async () => [[trunk]] },
    allow: [],
    broad: [],
    clock: { after: () => () => undefined },
    onList: () => undefined,
    log: { warn: () => undefined },
  });
  await sources.refresh();
  expect(sources.organizationsListing('192.0.2.1')).toEqual([trunk.organizationId]);
  expect(sources.organizationsListing('198.51.100.1')).toEqual([]);
});

it('keeps the previous list after a failed read, and reports no unchanged list', async () => {
  const answers = [Promise.resolve([]), Promise.reject(new Error('no database')), Promise.resolve([])];
  const reported: unknown[] = [];
  const warnings: unknown[] = [];
  let timers = 0;
  const sources = new AllowedSourceList({
    trunks: { byOrganization: () => answers.shift() ?? Promise.resolve([]) },
    allow: [],
    broad: [],
    clock: {
      after: () => {
        timers += 1;
        return () => {
          timers -= 1;
        };
      },
    },
    onList: (list) => reported.push(list),
    log: { warn: (fault: object) => warnings.push(fault) },
  });
  await sources.refresh();
  await sources.refresh();
  await sources.refresh();
  expect(reported).toEqual([{ listed: [], open: true }]);
  expect(warnings).toHaveLength(1);
  expect(timers).toBe(1);
  await sources.stop();
  expect(timers).toBe(0);
});
