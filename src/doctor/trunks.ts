import { parseHostPort } from '../../sip/message/uri.ts';
import { probeByOptions } from '../../sip/signalling/options-probe.ts';
import type { TlsSettings } from '../../sip/transport/tls-stream.ts';
import { DEFAULT_SIP_PORT, DEFAULT_SIPS_PORT, isSipTransport } from '../../sip/transport/transport-address.ts';
import type { Database } from '../storage/database/database.ts';
import { type Finding, fault, fine, messageOf, warning } from './finding.ts';

/** Response timeout: a third of a second around the world, plus three retransmissions. */
const ANSWER_TIMEOUT_MS = 4_000;
/** Trunks checked simultaneously. */
const AT_ONCE_MAX = 16;

type Trunk = Awaited<ReturnType<typeof trunksOf>>[number];

/** Sends OPTIONS to every trunk of every organization, until the signal is aborted. */
export async function checkTrunks(
  database: Database | null,
  tls: TlsSettings,
  signal?: AbortSignal,
): Promise<readonly Finding[]> {
  if (database === null) return [];
  try {
    const trunks = await trunksOf(database);
    if (trunks.length === 0) return [warning('trunks', 'none configured', 'add one with POST /v1/sip-trunks')];
    const findings: Finding[] = [];
    for (let from = 0; from < trunks.length; from += AT_ONCE_MAX) {
      if (signal?.aborted === true) {
        const text = `out of time: ${trunks.length - from} of ${trunks.length} trunks were not asked`;
        return [...findings, warning('trunks', text, 'run trunkline doctor, which has no time limit')];
      }
      findings.push(...(await Promise.all(trunks.slice(from, from + AT_ONCE_MAX).map((trunk) => probe(trunk, tls)))));
    }
    return findings;
  } catch (error) {
    return [
      fault(
        'trunks',
        `reading the trunks failed: ${messageOf(error)}`,
        'start the service once: it migrates the database',
      ),
    ];
  }
}

function trunksOf({ query }: Database) {
  return query
    .selectFrom('sip_trunks')
    .select(['name', 'termination_uri', 'transport'])
    .orderBy('organization_id')
    .orderBy('listed_us')
    .execute();
}

async function probe({ name, termination_uri, transport }: Trunk, tls: TlsSettings): Promise<Finding> {
  const subject = `trunk ${name}`;
  const where = `${transport} ${termination_uri}`;
  const target = parseHostPort(termination_uri);
  if (target === null)
    return fault(subject, `${where} is not a host`, 'set termination_uri of the trunk to host[:port]');
  const outcome = await probeByOptions({
    host: target.host.replace(/^\[|\]$/g, ''),
    port: target.port ?? (transport === 'tls' ? DEFAULT_SIPS_PORT : DEFAULT_SIP_PORT),
    transport: isSipTransport(transport) ? transport : 'udp',
    tls,
    timeoutMs: ANSWER_TIMEOUT_MS,
  });
  switch (outcome.type) {
    case 'answered': {
      const said = `${where} responds to OPTIONS: ${outcome.status} ${outcome.reason}`.trimEnd();
      return outcome.status >= 500
        ? warning(subject, said, 'the trunk is reachable, but refuses requests: ask its operator')
        : fine(subject, said);
    }
    case 'silent': {
      const remedy =
        'check that the firewall allows SIP in both directions, and that the trunk allows this address; some trunks ignore OPTIONS';
      return warning(subject, `${where} does not respond to OPTIONS`, remedy);
    }
    case 'unreachable': {
      const remedy = 'check host, port and transport of the trunk';
      return fault(subject, `${where} is unreachable: ${outcome.message}`, remedy);
    }
  }
}
