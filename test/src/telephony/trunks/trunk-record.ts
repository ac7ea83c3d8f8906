import type { SipTrunkRecord } from '../../../../src/storage/telephony/sip-trunk-repository.ts';

/** A trunk over UDP without credentials and limits, except for the given fields. */
export function trunkRecord(given: Partial<SipTrunkRecord> = {}): SipTrunkRecord {
  return {
    id: 'trunk',
    organizationId: 'org',
    name: 'Carrier',
    terminationUri: 'sip.example.com',
    transport: 'udp',
    username: null,
    passwordSealed: null,
    allowedAddresses: [],
    register: false,
    codecs: [],
    srtp: 'off',
    inbandDtmf: false,
    maxConcurrentCalls: null,
    maxCallsPerSecond: null,
    priority: null,
    optionsIntervalSeconds: null,
    country: null,
    fromUser: null,
    fromDomain: null,
    createdMs: 0,
    ...given,
  };
}
