import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createStallSafeClock } from '../../../base/time/stall-safe-clock.ts';
import { loadConfiguration } from '../../../src/configuration/configuration.ts';
import { Metrics } from '../../../src/observability/metrics/metrics.ts';
import { Lifecycle } from '../../../src/service/lifecycle/service-parts.ts';
import { hostSettings } from '../../../src/service/parts/call-hosts.ts';
import { startProviders } from '../../../src/service/parts/providers.ts';

describe('the settings of call hosts', () => {
  it('have a part of the RTP ports each, and no key of the service', () => {
    const secret = 'a secret of the service with 32 characters';
    const configuration = loadConfiguration({
      CALL_HOSTS: '2',
      RTP_PORTS: '20000-20007',
      TRUNKLINE_API_KEY: secret,
      SIP_SERVER: 'drachtio:9022',
      SIP_SECRET: secret,
    });
    const settings = hostSettings(configuration);
    expect(settings.map(({ configuration: own, host }) => [host, own.rtp.ports])).toEqual([
      [1, { first: 20_000, last: 20_003 }],
      [2, { first: 20_004, last: 20_007 }],
    ]);
    expect(JSON.stringify(settings)).not.toContain(secret);
  });

  it('are refused if a host would have no port', () => {
    const configuration = loadConfiguration({ CALL_HOSTS: '3', RTP_PORTS: '20000-20003' });
    expect(() => hostSettings(configuration)).toThrow('RTP_PORTS: expected two ports for each of 3 CALL_HOSTS');
  });

  it('are refused beside a provider that the hosts do not know', async () => {
    const log = pino({ level: 'silent' });
    const context = {
      configuration: loadConfiguration({ CALL_HOSTS: '1' }),
      settings: [],
      log,
      logger: log,
      clock: createStallSafeClock(),
      metrics: new Metrics(),
      lifecycle: new Lifecycle(),
      listeners: [],
    };
    const provider = { name: 'tape', setting: 'TAPE_DIR', isConfigured: true };
    await expect(startProviders(context, [provider])).rejects.toThrow('CALL_HOSTS: expected 0 beside TAPE_DIR');
  });
});
