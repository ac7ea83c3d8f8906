import { parseHostPort } from '../../../sip/message/uri.ts';
import { probeByOptions } from '../../../sip/signalling/options-probe.ts';
import type { Database } from '../../storage/database/database.ts';
import { type Finding, fault, fine, messageOf, warning } from './finding.ts';

/** RFC 3261 §18.1.1, of UDP and TCP. */
const SIP_PORT = 5060;
/** A trunk on the other side of the world answers in a third of a second; three retransmissions fit. */
const ANSWER_TIMEOUT_MS = 4_000;
/** Trunks asked at once. */
const AT_ONCE_MAX = 16;

type Trunk = Awaited<ReturnType<typeof trunksOf>>[number];

/** Asks every trunk of every organization by OPTIONS. */
export async function checkTrunks(
  database: Database | null,
  timeoutMs = ANSWER_TIMEOUT_MS,
): Promise<readonly Finding[]> {
  if (database === null) return [];
  try {
    const trunks = await trunksOf(database);
    if (trunks.length === 0) return [warning('trunks', 'there are none', 'add one: POST /v1/sip-trunks')];
    const findings: Finding[] = [];
    for (let from = 0; from < trunks.length; from += AT_ONCE_MAX) {
      const some = trunks.slice(from, from + AT_ONCE_MAX);
      findings.push(...(await Promise.all(some.map((trunk) => ask(trunk, timeoutMs)))));
    }
    return findings;
  } catch (error) {
    return [fault('trunks', `cannot be read: ${messageOf(error)}`, 'start the service once: it brings the schema up')];
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

async function ask({ name, termination_uri, transport }: Trunk, timeoutMs: number): Promise<Finding> {
  const subject = `trunk ${name}`;
  const where = `${transport} ${termination_uri}`;
  const target = parseHostPort(termination_uri);
  if (target === null) return fault(subject, `${where} is no host`, 'make the trunk anew with host[:port]');
  const outcome = await probeByOptions({
    host: target.host.replace(/^\[|\]$/g, ''),
    port: target.port ?? SIP_PORT,
    transport: transport === 'tcp' ? 'tcp' : 'udp',
    timeoutMs,
  });
  switch (outcome.type) {
    case 'answered': {
      const said = `${where} answers OPTIONS: ${outcome.status} ${outcome.reason}`.trimEnd();
      return outcome.status >= 500
        ? warning(subject, said, 'the trunk is there and does not serve: ask its operator')
        : fine(subject, said);
    }
    case 'silent': {
      const remedy =
        'see that the firewall lets SIP out and back in, and that the trunk knows this address; some answer no OPTIONS';
      return warning(subject, `${where} does not answer OPTIONS`, remedy);
    }
    case 'unreachable': {
      const remedy = 'see that host, port and transport of the trunk are right';
      return fault(subject, `${where} cannot be reached: ${outcome.message}`, remedy);
    }
  }
}
