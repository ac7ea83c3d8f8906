import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../../sip/embedded-server/limits.ts';
import { Admission } from '../../../../sip/embedded-server/transport/admission.ts';

const MESSAGE = new TextEncoder().encode('OPTIONS sip:a@b SIP/2.0\r\nCall-ID: x\r\n\r\n');
const hosts = (count: number) => Array.from({ length: count }, (_, i) => `2001:db8:1:2::${(i + 1).toString(16)}`);

function admission(limits: Partial<typeof DEFAULT_LIMITS>): Admission {
  const clock = { nowUs: () => 0 };
  return new Admission({ limits: { ...DEFAULT_LIMITS, ...limits }, clock, knowsCall: () => false });
}

it('a stranger gains nothing by another address of his network, neither messages nor tries', () => {
  const one = admission({ strangerMessagesPerSecondPerAddress: 2, wrongTriesPerAddressMax: 3 });
  expect(hosts(10).filter((address) => one.admits(MESSAGE, address))).toHaveLength(4);
  expect(one.admits(MESSAGE, '2001:db8:1:3::1')).toBe(true);
  expect(hosts(10).filter((address) => one.mayTry(address, true))).toHaveLength(3);
  for (const address of hosts(2)) one.tried(address, 200, false);
  expect(hosts(10).filter((address) => one.mayTry(address, true))).toHaveLength(2);
});

it('each address that a trunk lists has its own rate, also beside others of its network', () => {
  const one = admission({ messagesPerSecondPerAddress: 1 });
  one.allow({ listed: ['2001:db8:1:2::/64'], open: false });
  expect(hosts(5).filter((address) => one.admits(MESSAGE, address))).toHaveLength(5);
});
