import { AddressSet } from '../../base/network/address-set.ts';

/** Addresses that may be unreachable from here: RFC 1918, 6598, 3927, 4193, 4291, loopback. */
export const PRIVATE_ADDRESSES = new AddressSet([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '127.0.0.0/8',
  'fc00::/7',
  'fe80::/10',
  '::1',
]);
