import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/connection.ts';
import { localTime } from '../format/time.ts';
import { listSipRefusals, type RefusedInvite } from '../generated/client.ts';
import { useLanguage } from '../i18n/language.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { QueryView } from '../ui/query-view.tsx';

const READ_INTERVAL_MS = 5_000;

/** The latest INVITEs that were refused, with the cause in words and its name in the API. */
export function Refusals() {
  const { language, messages: text } = useLanguage();
  const query = useQuery({
    queryKey: ['refusals'],
    queryFn: () => bodyOf(listSipRefusals()),
    refetchInterval: READ_INTERVAL_MS,
  });
  const columns = [
    text.calls.when,
    text.telephony.cause,
    text.telephony.sipStatus,
    text.telephony.source,
    text.calls.from,
    text.calls.to,
  ];
  return (
    <div className="stack">
      <h2>{text.telephony.refused}</h2>
      <p className="quiet">{text.telephony.refusedLatest}</p>
      <QueryView query={query}>
        {({ data }) => (
          <DataTable label={text.telephony.refused} columns={columns} empty={text.telephony.noneRefused} isStacked>
            {data.map((invite, place) => (
              <tr key={keyOf(invite, place)}>
                <td>{localTime(invite.time, language)}</td>
                <td className="cell-text">
                  {text.telephony.causes[invite.cause]}
                  <p className="quiet">
                    <span className="mono">{invite.cause}</span> {invite.detail ?? ''}
                  </p>
                </td>
                <td data-name={text.telephony.sipStatus}>{invite.status}</td>
                <td className="mono" data-name={text.telephony.source}>
                  {invite.source}
                </td>
                <td className="mono" data-name={text.calls.from}>
                  {invite.from_number ?? text.calls.withheld}
                </td>
                <td className="mono" data-name={text.calls.to}>
                  {invite.to_number ?? ''}
                </td>
              </tr>
            ))}
          </DataTable>
        )}
      </QueryView>
    </div>
  );
}

/** Two refusals may be alike in every field. */
function keyOf({ time, source }: RefusedInvite, place: number): string {
  return `${time} ${source} ${place}`;
}
