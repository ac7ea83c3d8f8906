import { extname } from 'node:path';
import { CallHosts } from '../../calls/host-process/call-hosts.ts';
import { childProcessLauncher } from '../../calls/host-process/child-process-link.ts';
import type { HostSettings } from '../../calls/host-process/host-messages.ts';
import { splitPortRange } from '../../calls/host-process/port-range-split.ts';
import type { CallServices } from '../../calls/host-process/service-access.ts';
import { repairRecording } from '../../calls/recording/unredacted-recording.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import { ConfigurationError } from '../../configuration/configuration-error.ts';
import type { PartContext } from '../lifecycle/part-context.ts';

/** The processes that run phone calls; null without `CALL_HOSTS`. Resolves once each of them takes calls. */
export async function startCallHosts(
  { clock, configuration, lifecycle, logger, metrics }: PartContext,
  services: CallServices,
): Promise<CallHosts | null> {
  const script = new URL(`../call-host/host-main${extname(import.meta.url)}`, import.meta.url);
  return lifecycle.start(
    'call hosts',
    async () => {
      if (configuration.callHosts === 0) return null;
      const hosts = new CallHosts({
        settings: hostSettings(configuration),
        launch: childProcessLauncher(script),
        services,
        repairRecording,
        clock,
        log: logger,
        onMetric: (metric) => {
          if (metric.type === 'first_byte') metrics.firstByte(metric.part, metric.provider, metric.ms);
          else metrics.providerFailed(metric.part, metric.error);
        },
      });
      try {
        await hosts.ready();
      } catch (error) {
        await hosts.close();
        throw error;
      }
      return hosts;
    },
    (hosts) => hosts?.close(),
  );
}

/**
 * The settings of each host, with its share of what the hosts must not use together.
 *
 * @throws ConfigurationError if `RTP_PORTS` has fewer pairs than hosts
 */
export function hostSettings(configuration: Configuration): readonly HostSettings[] {
  const { callHosts, dataDir, diskLowWaterBytes, endOfTurnModel, phraseCacheBytes, providers, rtp } = configuration;
  const ports = splitPortRange(rtp.ports, callHosts);
  if (ports === null)
    throw new ConfigurationError([
      { variable: 'RTP_PORTS', expected: `two ports for each of ${callHosts} CALL_HOSTS` },
    ]);
  return ports.map((share, index) => ({
    host: index + 1,
    configuration: {
      callHosts,
      dataDir,
      diskLowWaterBytes,
      endOfTurnModel,
      phraseCacheBytes,
      providers,
      rtp: { ...rtp, ports: share },
    },
  }));
}
