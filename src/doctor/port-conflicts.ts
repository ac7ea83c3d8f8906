import { isIPv4 } from 'node:net';
import type { Configuration } from '../configuration/configuration.ts';
import { type Finding, fault } from './finding.ts';

/** A socket that the service will bind. */
interface ConfiguredListener {
  /** The variable that names its port. */
  readonly variable: string;
  readonly host: string;
  /** 0: the kernel chooses one. */
  readonly port: number;
}

/** Each two settings that name one TCP port of one address: only one of them could be bound. */
export function portConflicts(configuration: Configuration): readonly Finding[] {
  const listeners = tcpListeners(configuration);
  return listeners.flatMap((listener, nth) =>
    listeners
      .slice(nth + 1)
      .filter((other) => listener.port !== 0 && listener.port === other.port && overlap(listener.host, other.host))
      .map((other) => {
        const text = `${listener.variable} and ${other.variable} both name tcp port ${listener.port} of ${listener.host}`;
        return fault('ports', text, 'set one of them to another port');
      }),
  );
}

/** Over UDP, SIP has its port first, and RTP leaves out a port that is taken. */
function tcpListeners({ http, metricsBind, sip }: Configuration): readonly ConfiguredListener[] {
  const listeners = [{ variable: 'HTTP_PORT', host: http.bind, port: http.port }];
  if (sip.server === null) {
    listeners.push({ variable: 'SIP_PORT', host: sip.bind, port: sip.port });
    const { certificate } = sip.tls;
    if (certificate !== null) listeners.push({ variable: 'SIP_TLS_PORT', host: sip.bind, port: certificate.port });
  }
  if (metricsBind !== null) listeners.push({ variable: 'METRICS_BIND', ...metricsBind });
  return listeners;
}

/** `::` stands for the IPv4 addresses too. */
function overlap(one: string, other: string): boolean {
  const hosts = [one, other];
  if (one === other || hosts.includes('::')) return true;
  return hosts.includes('0.0.0.0') && hosts.every((host) => isIPv4(host));
}
