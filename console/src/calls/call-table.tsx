import { Link } from '@tanstack/react-router';
import { clockTime, localTime, shortTime } from '../format/time.ts';
import type { Call } from '../generated/client.ts';
import { useLanguage, useText } from '../i18n/language.tsx';
import { Badge } from '../ui/badge.tsx';
import { VirtualTable } from '../ui/virtual-table.tsx';
import { durationMs, partyName, statusTone } from './call-facts.ts';

const COLUMNS = 8;

export function CallTable({ calls }: { readonly calls: readonly Call[] }) {
  const { messages: text } = useLanguage();
  return (
    <VirtualTable
      label={text.calls.count(calls.length)}
      head={<Head />}
      columns={COLUMNS}
      count={calls.length}
      row={(index, rowIndex) => {
        const call = calls[index];
        return call === undefined ? null : <CallRow key={call.id} call={call} rowIndex={rowIndex} />;
      }}
    />
  );
}

function Head() {
  const { calls } = useText();
  return (
    <>
      <th scope="col">{calls.when}</th>
      <th scope="col" className="wide-only">
        {calls.direction}
      </th>
      <th scope="col">{calls.from}</th>
      <th scope="col" className="wide-only">
        {calls.to}
      </th>
      <th scope="col">{calls.status}</th>
      <th scope="col" className="number wide-only">
        {calls.duration}
      </th>
      <th scope="col" className="number wide-only">
        {calls.response}
      </th>
      <th scope="col" className="wide-only">
        {calls.endReason}
      </th>
    </>
  );
}

function CallRow({ call, rowIndex }: { readonly call: Call; readonly rowIndex: number }) {
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
      <td>
        <Badge tone={statusTone(call.status)}>{text.calls.statuses[call.status]}</Badge>
      </td>
      <td className="number wide-only">{clockTime(durationMs(call, Date.now()))}</td>
      <td className="number wide-only">{median === null ? '' : shortTime(median)}</td>
      <td className="mono wide-only">{call.end_reason ?? ''}</td>
    </tr>
  );
}
