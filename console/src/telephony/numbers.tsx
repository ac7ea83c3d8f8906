import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { maskedNumber } from '../../../src/log/number-mask.ts';
import { useAgentNames } from '../api/agent-list.ts';
import { bodyOf } from '../api/connection.ts';
import { listPhoneNumbers, type PhoneNumber } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { Badge } from '../ui/badge.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { MoreButton } from '../ui/more-button.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { OverApi } from './over-api.tsx';
import { trunksQuery } from './trunks.tsx';

const PAGE_NUMBERS = 100;

/** The numbers of the organization, and where a call to each leads. */
export function Numbers() {
  const text = useText();
  const numbers = useInfiniteQuery({
    queryKey: ['numbers'],
    queryFn: ({ pageParam }) => numberPage(pageParam),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? null,
  });
  const trunks = useQuery(trunksQuery());
  const trunkNames = new Map((trunks.data?.data ?? []).map(({ id, name }) => [id, name]));
  const agentNames = useAgentNames();
  const columns = [text.telephony.number, text.telephony.name, text.telephony.leadsTo, text.telephony.outboundTrunk];
  return (
    <div className="stack">
      <h2>{text.telephony.numbers}</h2>
      <OverApi purpose={text.telephony.addNumber} operation="POST /v1/phone-numbers" />
      <QueryView query={numbers}>
        {({ pages }) => (
          <DataTable label={text.telephony.numbers} columns={columns} empty={text.telephony.noNumbers} isStacked>
            {pages
              .flatMap(({ data }) => data)
              .map((number) => (
                <tr key={number.id}>
                  <td className="mono">{number.number}</td>
                  <td>{number.name}</td>
                  <td data-name={text.telephony.leadsTo}>
                    <Target number={number} agentNames={agentNames} />
                  </td>
                  <td data-name={text.telephony.outboundTrunk}>
                    {number.trunk_id === null ? text.common.none : (trunkNames.get(number.trunk_id) ?? number.trunk_id)}
                  </td>
                </tr>
              ))}
          </DataTable>
        )}
      </QueryView>
      <MoreButton query={numbers} />
    </div>
  );
}

function numberPage(cursor: string) {
  return bodyOf(listPhoneNumbers({ limit: PAGE_NUMBERS, useCursor: true, ...(cursor !== '' && { cursor }) }));
}

interface TargetProps {
  readonly number: PhoneNumber;
  readonly agentNames: ReadonlyMap<string, string>;
}

/** A redirect comes before the agent; a number without either refuses its calls. */
function Target({ number, agentNames }: TargetProps) {
  const text = useText();
  const { inbound_agent_id: agentId, redirect, redirect_mode: mode, redirect_phone_number: to } = number;
  if (redirect && to !== null) {
    return (
      <span>
        → <span className="mono">{maskedNumber(to)}</span>{' '}
        <span className="quiet">{text.telephony.redirectModes[mode]}</span>
      </span>
    );
  }
  if (agentId === null) return <Badge tone="warn">{text.telephony.refuses}</Badge>;
  return (
    <span className="row">
      <Link to="/agents/$agentId" params={{ agentId }}>
        {agentNames.get(agentId) ?? agentId}
      </Link>
      {number.lookup_webhook_url !== null && <Badge>{text.telephony.lookup}</Badge>}
    </span>
  );
}
