import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Configuration } from '../configuration/configuration.ts';
import { type Finding, fault, fine, messageOf, warning } from './finding.ts';
import { portConflicts } from './port-conflicts.ts';

/** Number of ports of the range that are tested. */
const RTP_PORTS_TRIED = 8;
/** Timeout of the health check, ms. */
const HEALTH_TIMEOUT_MS = 2_000;

/** Whether the service is already running at the configured address. */
export async function isServiceRunning({ http }: Configuration): Promise<boolean> {
  const anywhere: { readonly [bind: string]: string } = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  const host = anywhere[http.bind] ?? http.bind;
  try {
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${http.port}/healthz`;
    const response = await fetch(url, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null && 'message' in body && body.message === 'alive';
  } catch {
    return false;
  }
}

/** Checks whether the ports differ and are available. A running service occupies its own ports. */
export async function checkPorts(configuration: Configuration, running: boolean): Promise<readonly Finding[]> {
  const { http, metricsBind, rtp, sip } = configuration;
  const findings: Finding[] = [...portConflicts(configuration)];
  if (running) {
    findings.push(fine('ports', `the service is running at ${http.bind}:${http.port} and uses its ports`));
  } else {
    const elsewhere = (variable: string) => `stop the process that listens there, or set ${variable}`;
    findings.push(await tried('HTTP', http.bind, http.port, ['tcp'], elsewhere('HTTP_BIND and HTTP_PORT')));
    if (sip.server === null) {
      findings.push(await tried('SIP', sip.bind, sip.port, ['udp', 'tcp'], elsewhere('SIP_BIND and SIP_PORT')));
      const { certificate } = sip.tls;
      const tlsRemedy = elsewhere('SIP_TLS_PORT');
      if (certificate !== null) findings.push(await tried('SIP TLS', sip.bind, certificate.port, ['tcp'], tlsRemedy));
    }
    if (metricsBind !== null) {
      const remedy = elsewhere('METRICS_BIND to another address, or to off');
      const finding = await tried('metrics', metricsBind.host, metricsBind.port, ['tcp'], remedy);
      // The service runs without metrics then.
      findings.push(finding.verdict === 'fault' ? { ...finding, verdict: 'warning' } : finding);
    }
    findings.push(await checkRtp(rtp));
  }
  if (isLoopback(sip.bind) && sip.server === null) {
    const remedy = 'set SIP_BIND (and RTP_BIND) to an address that your trunks can reach';
    findings.push(warning('SIP', `listens on ${sip.bind}: only peers on this machine can reach it`, remedy));
  }
  return findings;
}

async function checkRtp({ bind, ports }: Configuration['rtp']): Promise<Finding> {
  const { first, last } = ports;
  const step = Math.max(1, Math.ceil((last - first + 1) / RTP_PORTS_TRIED));
  const refusals: string[] = [];
  let tries = 0;
  for (let port = first; port <= last; port += step) {
    tries += 1;
    const refusal = await refusalOf('udp', bind, port);
    if (refusal !== null) refusals.push(refusal);
  }
  const range = `${bind}, ports ${first}-${last}`;
  const [example] = refusals;
  if (example === undefined) return fine('RTP', `${range}: all ${tries} tested ports are free`);
  const text = `${range}: ${refusals.length} of ${tries} tested ports are not available (${example})`;
  const remedy = 'set RTP_BIND to an address of this machine and RTP_PORTS to an unused range';
  return refusals.length === tries ? fault('RTP', text, remedy) : warning('RTP', text, remedy);
}

async function tried(
  subject: string,
  host: string,
  port: number,
  transports: readonly ('tcp' | 'udp')[],
  remedy: string,
): Promise<Finding> {
  for (const transport of transports) {
    const refusal = await refusalOf(transport, host, port);
    if (refusal !== null) return fault(subject, `${transport} ${host}:${port} is not available: ${refusal}`, remedy);
  }
  return fine(subject, `${transports.join(' and ')} ${host}:${port} is available`);
}

/** Binds and releases the port. null: available. */
async function refusalOf(transport: 'tcp' | 'udp', host: string, port: number): Promise<string | null> {
  try {
    if (transport === 'tcp') {
      const server = createServer().listen(port, host);
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
    } else {
      const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
      socket.bind(port, host);
      await once(socket, 'listening');
      socket.close();
      await once(socket, 'close');
    }
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
