import { Link } from '@tanstack/react-router';
import { useAgentNames } from '../agents/stored/agent-names.ts';
import { clockTime, localTime, shortTime } from '../format/time.ts';
import type { Call } from '../generated/client.ts';
import type { Messages } from '../i18n/en.ts';
import { useLanguage } from '../i18n/language.tsx';
import { Badge } from '../ui/badge.tsx';
import { type TableColumn, VirtualTable } from '../ui/virtual-table.tsx';
import { durationMs, partyName, statusTone } from './call-facts.ts';

export function CallTable({ calls }: { readonly calls: readonly Call[] }) {
  const { messages: text } = useLanguage();
  const names = useAgentNames();
  return (
    <VirtualTable
      label={text.calls.count(calls.length)}
      columns={columnsOf(text)}
      count={calls.length}
      row={(index, rowIndex) => {
        const call = calls[index];
        if (call === undefined) return null;
        const agent = names.get(call.agent_id ?? '') ?? '';
        return <CallRow key={call.id} call={call} agent={agent} rowIndex={rowIndex} />;
      }}
    />
  );
}

function columnsOf({ calls }: Messages): readonly TableColumn[] {
  return [
    { name: calls.when },
    { name: calls.direction, className: 'wide-only' },
    { name: calls.from },
    { name: calls.to, className: 'wide-only' },
    { name: calls.agent, className: 'wide-only' },
    { name: calls.status },
    { name: calls.duration, className: 'number wide-only' },
    { name: calls.response, className: 'number wide-only' },
    { name: calls.endReason, className: 'wide-only' },
  ];
}

interface CallRowProps {
  readonly call: Call;
  readonly agent: string;
  readonly rowIndex: number;
}

function CallRow({ agent, call, rowIndex }: CallRowProps) {
  const { language, messages: text } = useLanguage();
  const median = call.metrics.response_ms?.median ?? null;
  return (
    <tr aria-rowindex={rowIndex}>
      <td>
        <Link to="/calls/$callId" params={{ callId: call.id }}>
          {localTime(call.start_time ?? call.created_at, language)}
        </Link>
      </td>
      <td className="wide-only">{text.calls[call.direction]}</td>
      <td className="mono">{partyName(call, call.from_number, text)}</td>
      <td className="mono wide-only">{partyName(call, call.to_number, text)}</td>
      <td className="wide-only cut-cell" title={agent}>
        {agent}
      </td>
      <td>
        <Badge tone={statusTone(call.status)}>{text.calls.statuses[call.status]}</Badge>
      </td>
      <td className="number wide-only">{clockTime(durationMs(call, Date.now()))}</td>
      <td className="number wide-only">{median === null ? '' : shortTime(median)}</td>
      <td className="mono wide-only">{call.end_reason ?? ''}</td>
    </tr>
  );
}
