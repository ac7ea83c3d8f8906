import { Link } from '@tanstack/react-router';
import { useAgentNames } from '../agents/stored/agent-names.ts';
import { useNowMs } from '../format/now.ts';
import { clockTime, localTime, shortTime } from '../format/time.ts';
import type { RunningCall } from '../generated/client.ts';
import type { Messages } from '../i18n/en.ts';
import { useLanguage, useText } from '../i18n/language.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { type TableColumn, VirtualTable } from '../ui/virtual-table.tsx';
import { durationMs, partyName, statusTone } from './call-facts.ts';

const TONES: Readonly<Record<NonNullable<RunningCall['activity']>, Tone>> = {
  initializing: 'plain',
  listening: 'plain',
  user_speaking: 'good',
  machine_speaking: 'warn',
  thinking: 'warn',
  agent_speaking: 'info',
  paused: 'warn',
  transferring: 'plain',
};

export function RunningTable({ calls }: { readonly calls: readonly RunningCall[] }) {
  const text = useText();
  const nowMs = useNowMs();
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
        return <Row key={call.id} call={call} agent={agent} nowMs={nowMs} rowIndex={rowIndex} />;
      }}
    />
  );
}

function columnsOf({ calls }: Messages): readonly TableColumn[] {
  return [
    { name: calls.when },
    { name: calls.now },
    { name: calls.duration, className: 'number' },
    { name: calls.response, className: 'number wide-only' },
    { name: calls.from, className: 'wide-only' },
    { name: calls.agent, className: 'wide-only' },
    { name: calls.state, className: 'wide-only' },
    { name: calls.to, className: 'wide-only' },
    { name: calls.direction, className: 'wide-only' },
  ];
}

interface RowProps {
  readonly call: RunningCall;
  readonly agent: string;
  readonly nowMs: number;
  readonly rowIndex: number;
}

function Row({ call, agent, nowMs, rowIndex }: RowProps) {
  const { language, messages: text } = useLanguage();
  return (
    <tr aria-rowindex={rowIndex}>
      <td>
        <Link to="/calls/$callId" params={{ callId: call.id }}>
          {localTime(call.start_time ?? call.created_at, language)}
        </Link>
      </td>
      <td>
        {call.activity === null ? (
          <Badge tone={statusTone(call.status)}>{text.calls.statuses[call.status]}</Badge>
        ) : (
          <Badge tone={TONES[call.activity]}>{text.calls.activities[call.activity]}</Badge>
        )}
      </td>
      <td className="number">{clockTime(durationMs({ ...call, end_time: null }, nowMs))}</td>
      <td className="number wide-only">{call.response_ms === null ? '' : shortTime(call.response_ms)}</td>
      <td className="mono wide-only">{partyName(call, call.from_number, text)}</td>
      <td className="wide-only cut-cell">{agent}</td>
      <td className="wide-only cut-cell">{call.state ?? ''}</td>
      <td className="mono wide-only">{partyName(call, call.to_number, text)}</td>
      <td className="wide-only">{text.calls[call.direction]}</td>
    </tr>
  );
}
