import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { maskedNumber } from '../../../src/log/number-mask.ts';
import { bodyOf } from '../api/connection.ts';
import { listAgents, listPhoneNumbers, type PhoneNumber } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { Badge } from '../ui/badge.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { trunksQuery } from './trunks.tsx';

/** The most that the API gives at once. */
const NUMBERS_MAX = 1_000;
const AGENTS_MAX = 1_000;

/** The numbers of the organization, and where a call to each leads. */
export function Numbers() {
  const text = useText();
  const numbers = useQuery({
    queryKey: ['numbers'],
    queryFn: () => bodyOf(listPhoneNumbers({ limit: NUMBERS_MAX })),
  });
  const trunks = useQuery(trunksQuery());
  const agents = useQuery({ queryKey: ['agents'], queryFn: () => bodyOf(listAgents({ limit: AGENTS_MAX })) });
  const trunkNames = new Map((trunks.data?.data ?? []).map(({ id, name }) => [id, name]));
  const agentNames = new Map((agents.data?.data ?? []).map(({ id, name }) => [id, name]));
  const columns = [text.telephony.number, text.telephony.name, text.telephony.leadsTo, text.telephony.outboundTrunk];
  return (
    <div className="stack">
      <h2>{text.telephony.numbers}</h2>
      <QueryView query={numbers}>
        {({ data }) => (
          <DataTable label={text.telephony.numbers} columns={columns} empty={text.telephony.noNumbers}>
            {data.map((number) => (
              <tr key={number.id}>
                <td className="mono">{number.number}</td>
                <td>{number.name}</td>
                <td>
                  <Target number={number} agentNames={agentNames} />
                </td>
                <td>
                  {number.trunk_id === null ? text.common.none : (trunkNames.get(number.trunk_id) ?? number.trunk_id)}
                </td>
              </tr>
            ))}
          </DataTable>
        )}
      </QueryView>
    </div>
  );
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
        → <span className="mono">{maskedNumber(to)}</span> <span className="quiet">{mode}</span>
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
