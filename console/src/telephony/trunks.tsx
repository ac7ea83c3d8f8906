import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/connection.ts';
import { localTime, shortTime } from '../format/time.ts';
import { listSipTrunks, type SipTrunk } from '../generated/client.ts';
import { useLanguage, useText } from '../i18n/language.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { LastDay } from './last-day.tsx';
import { OverApi } from './over-api.tsx';
import { trunkFault } from './trunk-fault.ts';

/** As many as an organization may have. */
const TRUNKS_MAX = 200;
/** Registrations and checks change by themselves, ms. */
const READ_INTERVAL_MS = 5_000;
const REGISTRATION_TONES: Readonly<Record<NonNullable<SipTrunk['registration']>['status'], Tone>> = {
  registering: 'info',
  registered: 'good',
  failed: 'bad',
  unregistered: 'plain',
};

/** Query of the trunks, for all who show one. */
export function trunksQuery() {
  return { queryKey: ['trunks'], queryFn: () => bodyOf(listSipTrunks({ limit: TRUNKS_MAX })) };
}

export function Trunks() {
  const text = useText();
  const query = useQuery({ ...trunksQuery(), refetchInterval: READ_INTERVAL_MS });
  const columns = [
    text.telephony.name,
    text.telephony.destination,
    text.telephony.registration,
    text.telephony.reachability,
    text.telephony.sources,
  ];
  return (
    <div className="stack">
      <h2>{text.telephony.trunks}</h2>
      <OverApi purpose={text.telephony.addTrunk} operation="POST /v1/sip-trunks" />
      <QueryView query={query}>
        {({ data }) => (
          <DataTable label={text.telephony.trunks} columns={columns} empty={text.telephony.noTrunks} isStacked>
            {data.map((trunk) => (
              <tr key={trunk.id}>
                <td>{trunk.name}</td>
                <td className="mono" data-name={text.telephony.destination}>
                  {trunk.termination_uri} {trunk.transport}
                </td>
                <td data-name={text.telephony.registration}>
                  <Registration trunk={trunk} />
                </td>
                <td data-name={text.telephony.reachability}>
                  <Reachability trunk={trunk} />
                  <LastDay trunkId={trunk.id} />
                </td>
                <td className="mono cell-text" data-name={text.telephony.sources}>
                  {trunk.allowed_addresses.join(', ') || text.telephony.anySource}
                </td>
              </tr>
            ))}
          </DataTable>
        )}
      </QueryView>
    </div>
  );
}

function Registration({ trunk: { register, registration } }: { readonly trunk: SipTrunk }) {
  const { language, messages: text } = useLanguage();
  if (registration === null) {
    return <span className="quiet">{register ? text.telephony.notYet : text.telephony.noRegistration}</span>;
  }
  const { status, expires_at: expiresAt, error } = registration;
  return (
    <>
      <Badge tone={REGISTRATION_TONES[status]}>{text.telephony.registrations[status]}</Badge>
      {expiresAt !== null && <p className="quiet">{text.telephony.until(localTime(expiresAt, language))}</p>}
      {error !== null && <p className="cell-text">{trunkFault(error, text)}</p>}
    </>
  );
}

function Reachability({ trunk: { reachability } }: { readonly trunk: SipTrunk }) {
  const { language, messages: text } = useLanguage();
  if (reachability === null) return <span className="quiet">{text.telephony.unchecked}</span>;
  const { reachable, status, round_trip_ms: roundTripMs, error, since } = reachability;
  return (
    <>
      <Badge tone={reachable ? 'good' : 'bad'}>
        {reachable ? text.telephony.reachable : text.telephony.unreachable}
      </Badge>{' '}
      <span className="quiet">
        {status ?? ''} {roundTripMs === null ? '' : shortTime(roundTripMs, language)}
      </span>
      <p className="quiet">{text.telephony.since(localTime(since, language))}</p>
      {error !== null && <p className="cell-text">{trunkFault(error, text)}</p>}
    </>
  );
}
