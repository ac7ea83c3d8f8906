import type { Call } from '../generated/client.ts';
import type { Messages } from '../i18n/en.ts';
import { useLanguage, useText } from '../i18n/language.tsx';
import { Badge } from '../ui/badge.tsx';
import type { TableColumn } from '../ui/virtual-table.tsx';
import { CallDuration } from './call-duration.tsx';
import { statusTone } from './call-facts.ts';
import { CutCell } from './cut-cell.tsx';
import { calledName, partyName } from './party-name.ts';
import { responseTimes } from './response-times.ts';
import { VirtualCallTable } from './virtual-call-table.tsx';

export function CallTable({ calls }: { readonly calls: readonly Call[] }) {
  const text = useText();
  return (
    <VirtualCallTable
      calls={calls}
      columns={columnsOf(text)}
      cells={(call, agent) => <CallCells call={call} agent={agent} />}
    />
  );
}

function columnsOf({ calls }: Messages): readonly TableColumn[] {
  return [
    { name: calls.direction, className: 'wide-only' },
    { name: calls.from },
    { name: calls.to, className: 'wide-only' },
    { name: calls.agent, className: 'wide-only' },
    { name: calls.status },
    { name: calls.duration, className: 'number wide-only' },
    { name: calls.responses, className: 'number' },
    { name: calls.endReason, className: 'wide-only' },
  ];
}

function CallCells({ agent, call }: { readonly agent: string; readonly call: Call }) {
  const { language, messages: text } = useLanguage();
  const endReason = call.end_reason === null ? '' : text.endReasons[call.end_reason];
  return (
    <>
      <td className="wide-only">{text.calls[call.direction]}</td>
      <td className="mono">{partyName(call, call.from_number, text)}</td>
      <td className="mono wide-only">{calledName(call, text)}</td>
      <CutCell text={agent} />
      <td>
        <Badge tone={statusTone(call.status)}>{text.calls.statuses[call.status]}</Badge>
      </td>
      <td className="number wide-only">
        <CallDuration call={call} />
      </td>
      <td className="number">{responseTimes(call, language)}</td>
      <CutCell text={endReason} />
    </>
  );
}
