import { useNowMs } from '../format/now.ts';
import { clockTime, shortTime } from '../format/time.ts';
import type { RunningCall } from '../generated/client.ts';
import type { Messages } from '../i18n/en.ts';
import { useLanguage, useText } from '../i18n/language.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import type { TableColumn } from '../ui/virtual-table.tsx';
import { durationMs, statusTone } from './call-facts.ts';
import { CutCell } from './cut-cell.tsx';
import { calledName, partyName } from './party-name.ts';
import { VirtualCallTable } from './virtual-call-table.tsx';

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
  return (
    <VirtualCallTable
      calls={calls}
      columns={columnsOf(text)}
      cells={(call, agent) => <RunningCells call={call} agent={agent} nowMs={nowMs} />}
    />
  );
}

function columnsOf({ calls }: Messages): readonly TableColumn[] {
  return [
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

interface RunningCellsProps {
  readonly call: RunningCall;
  readonly agent: string;
  readonly nowMs: number;
}

function RunningCells({ call, agent, nowMs }: RunningCellsProps) {
  const { language, messages: text } = useLanguage();
  return (
    <>
      <td>
        {call.activity === null ? (
          <Badge tone={statusTone(call.status)}>{text.calls.statuses[call.status]}</Badge>
        ) : (
          <Badge tone={TONES[call.activity]}>{text.calls.activities[call.activity]}</Badge>
        )}
      </td>
      <td className="number">{clockTime(durationMs({ ...call, end_time: null }, nowMs))}</td>
      <td className="number wide-only">{call.response_ms === null ? '' : shortTime(call.response_ms, language)}</td>
      <td className="mono wide-only">{partyName(call, call.from_number, text)}</td>
      <CutCell text={agent} />
      <CutCell text={call.state ?? ''} />
      <td className="mono wide-only">{calledName(call, text)}</td>
      <td className="wide-only">{text.calls[call.direction]}</td>
    </>
  );
}
