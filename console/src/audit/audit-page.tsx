import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { auditKind } from '../../../src/api/audit/audited-operations.ts';
import { bodyOf } from '../api/connection.ts';
import { localTime } from '../format/time.ts';
import { type ApiKeyListing, type AuditRecord, listApiKeys, listAuditLog } from '../generated/client.ts';
import { useLanguage, useText } from '../i18n/language.tsx';
import { Badge } from '../ui/badge.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { MoreButton } from '../ui/more-button.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { auditQueryOf, readAuditSearch } from './audit-search.ts';

const PAGE_RECORDS = 100;
/** HTTP statuses from here on are refusals and failures. */
const FAILURE_STATUS_MIN = 400;

/** Who changed what, and who read what was said in calls. It holds no phone numbers and no content. */
export function AuditPage() {
  const text = useText();
  const search = useSearch({ from: '/audit-log' });
  const keys = useQuery({ queryKey: ['keys'], queryFn: () => bodyOf(listApiKeys()) }).data?.data ?? [];
  const query = useInfiniteQuery({
    queryKey: ['audit', search],
    queryFn: ({ pageParam }) =>
      bodyOf(
        listAuditLog({ ...auditQueryOf(search), limit: PAGE_RECORDS, ...(pageParam !== '' && { cursor: pageParam }) }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? null,
  });
  const columns = [
    text.calls.when,
    text.audit.action,
    text.audit.result,
    text.audit.target,
    text.session.key,
    text.audit.address,
  ];
  return (
    <section className="page">
      <h1>{text.audit.title}</h1>
      <p className="quiet">{text.audit.explanation}</p>
      <AuditFilters search={search} keys={keys} />
      <QueryView query={query}>
        {({ pages }) => (
          <DataTable label={text.audit.title} columns={columns} empty={text.audit.empty} isStacked>
            {pages
              .flatMap(({ data }) => data)
              .map((record) => (
                <Row key={record.id} record={record} keys={keys} />
              ))}
          </DataTable>
        )}
      </QueryView>
      <MoreButton query={query} />
    </section>
  );
}

interface RowProps {
  readonly record: AuditRecord;
  readonly keys: readonly ApiKeyListing[];
}

function Row({ record: { action, address, at, key_id: keyId, status, target_id: targetId }, keys }: RowProps) {
  const { language, messages: text } = useLanguage();
  const kind = auditKind(action);
  const key = keys.find(({ id }) => id === keyId);
  return (
    <tr>
      <td>{localTime(at, language)}</td>
      <td>
        <span className="mono">{action}</span> {kind !== null && <Badge>{text.audit.kinds[kind]}</Badge>}
      </td>
      <td>
        <Badge tone={status < FAILURE_STATUS_MIN ? 'good' : 'warn'}>{status}</Badge>
      </td>
      <td>
        <Target action={action} id={targetId} />
      </td>
      <td className="cell-text">{keyId === null ? text.audit.byLink : (key?.name ?? <Id id={keyId} />)}</td>
      <td className="mono">{address}</td>
    </tr>
  );
}

const OF_CALLS = [
  'getRecording',
  'getCall',
  'watchCall',
  'getTimeline',
  'getTape',
  'getSipLadder',
  'getPcap',
  'listDeliveries',
  'captureCall',
];
const OF_AGENTS = ['createAgent', 'updateAgent', 'deployVersion', 'renewWebhookSecret'];

/** Leads to the resource, if the console has a page for it, and to its other records. */
function Target({ action, id }: { readonly action: string; readonly id: string | null }) {
  const text = useText();
  if (id === null) return null;
  return (
    <span className="row">
      {OF_CALLS.includes(action) && (
        <Link to="/calls/$callId" params={{ callId: id }}>
          {text.audit.call}
        </Link>
      )}
      {OF_AGENTS.includes(action) && (
        <Link to="/agents/$agentId" params={{ agentId: id }}>
          {text.calls.agent}
        </Link>
      )}
      <Link to="/audit-log" search={readAuditSearch({ target: id })} aria-label={text.audit.only(id)}>
        <Id id={id} />
      </Link>
    </span>
  );
}

/** The first part of an id distinguishes the records of one page. */
function Id({ id }: { readonly id: string }) {
  return (
    <span className="mono" title={id}>
      {id.slice(0, 8)}…
    </span>
  );
}
